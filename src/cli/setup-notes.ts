/** What a person should know about a setup besides that it was done: what keeps it from working, and what it touches. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type HookChoice, hookAddress } from '../harness/claude-code/install-hooks.ts'
import { managedSettings, obstacles } from '../harness/claude-code/install-obstacles.ts'
import type { SetupRecord } from '../install/record.ts'
import { looseLine, readSettings } from '../install/settings-text.ts'
import { openSettings } from '../install/settings-file.ts'
import { InstallError } from '../install/install-error.ts'
import { settingsPath } from '../harness/claude-code/install.ts'
import { type Found, findIn } from '../install/install.ts'
import type { Place } from './setup-options.ts'

const OTHERS_MAY_READ = 0o044

interface Setup {
  readonly found: Found
  readonly choice: HookChoice
  /** Setups of other settings files. */
  readonly others: readonly SetupRecord[]
  readonly place: Place
  /** Null: a new token is issued. */
  readonly goodToken: string | null
}

export function notesOn(setup: Setup): readonly string[] {
  return [...obstaclesOn(setup), ...readableByOthers(setup.found, setup.choice)]
}

/** Without what doctor has a check of its own for. */
export function obstaclesOn({ found, choice, others, place, goodToken }: Setup): readonly string[] {
  const files = [
    managedSettings(process.platform),
    settingsPath('user', place.configFolder, place.project),
    join(place.project, '.claude', 'settings.json'),
    settingsPath('project', place.configFolder, place.project),
  ]
  const layers = files.flatMap((file) => valueOf(file))
  return [
    ...looseness(found),
    ...obstacles(layers, choice.transport === 'http' ? hookAddress(choice.port) : null),
    ...others.flatMap((other) => noteOn(other, choice, goodToken)),
  ]
}

/**
 * Where two settings files hold the same address, the harness runs one of the two, whichever (S17): so both must be in order.
 * Two different addresses both run.
 */
function noteOn(other: SetupRecord, choice: HookChoice, goodToken: string | null): readonly string[] {
  if (!existsSync(other.file)) return []
  const again = `run "contextmd setup claude-code --scope ${other.scope}"${other.scope === 'project' ? ' there' : ''}`
  const tokens = orNone(() => findIn(other.file).tokens)
  if (other.port !== choice.port || other.transport !== choice.transport) {
    return [
      `Also set up in ${other.file}, in another way (${other.transport}, port ${other.port}): both will run. To have one: ${again} with the same options.`,
    ]
  }
  if (choice.transport === 'http' && tokens.some((token) => token !== goodToken)) {
    return [`${other.file} holds an older token, and Claude Code may use that one: ${again}.`]
  }
  return [`Also set up in ${other.file}: where both count, Claude Code runs the hooks once.`]
}

function looseness({ file }: Found): readonly string[] {
  const line = looseLine(file.text ?? '')
  if (line === null) return []
  return [
    `Claude Code ignores settings with comments or trailing commas (${file.path}:${line}), all of them: nothing will be served until they are taken out.`,
  ]
}

function readableByOthers({ file }: Found, choice: HookChoice): readonly string[] {
  if (choice.transport !== 'http' || file.text === null || (file.mode & OTHERS_MAY_READ) === 0) return []
  return [`Other users of this machine may be able to read ${file.path}, which holds a token now: chmod 600 keeps it to you.`]
}

function valueOf(file: string): readonly { readonly file: string; readonly value: Readonly<Record<string, unknown>> }[] {
  return orNone(() => {
    const { text } = openSettings(file)
    return text === null ? [] : [{ file, value: readSettings(text, file) }]
  })
}

/** Another settings file that is broken is the harness's to complain about. */
function orNone<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof InstallError) return []
    throw error
  }
}
