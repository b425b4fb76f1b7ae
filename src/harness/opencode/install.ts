/**
 * Sets OpenCode up to run our plugin, and takes that back: one settings folder at a time.
 *
 * Setup is a plan first (nothing written), so that it can be shown, and refused, before a token is issued.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitStanding } from '../../install/git.ts'
import { InstallError } from '../../install/install-error.ts'
import { HEADER_FILE, readOrNull, removeIfEmpty, writeWhole } from './install-hooks.ts'
import { isOurWrapper, wrapperIn, wrapperText } from './install-plugin.ts'
import type { SetupRecord } from './install-record.ts'
import { removeSeed, seedState, writeSeed, type SeedState } from './install-seed.ts'

export type SetupScope = SetupRecord['scope']

/** OpenCode's settings folder of a scope. `project` is the root of the project. */
export function configFolder(scope: SetupScope, home: string, env: NodeJS.ProcessEnv, project: string): string {
  return scope === 'user' ? join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode') : join(project, '.opencode')
}

export interface Choice {
  readonly port: number
  readonly hooksFolder: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
  /** Folders that a held call may name files of. */
  readonly readable: readonly string[]
}

export interface Plan {
  readonly scope: SetupScope
  readonly folder: string
  readonly choice: Choice
  /** The plugin's file, as it is and as it will be. */
  readonly file: string
  readonly before: string | null
  readonly after: string
  readonly seed: SeedState
  /** Git's exclude file, if a line must be added there: the file holds paths of this machine. */
  readonly exclude: string | null
  readonly isChange: boolean
}

/** Throws an `InstallError`: `changed` when somebody else's plugin has our file's name. */
export function planSetup(scope: SetupScope, folder: string, choice: Choice, env: NodeJS.ProcessEnv): Plan {
  const file = wrapperIn(folder)
  const before = readOrNull(file)
  if (before !== null && !isOurWrapper(before))
    throw new InstallError('changed', `${file} is there and is not ours. Nothing was changed: give it another name and run this again`)
  const { port, seconds, readable, hooksFolder } = choice
  const after = wrapperText(hooksFolder, { port, headerFile: join(hooksFolder, HEADER_FILE), seconds, readable })
  const seed = seedState(folder)
  const exclude = scope === 'project' ? gitStanding(file, env).exclude : null
  return { scope, folder, choice, file, before, after, seed, exclude, isChange: before !== after || seed === 'missing' || exclude !== null }
}

/** Writes what was planned. Throws an `InstallError` `unwritable`. */
export function applySetup(plan: Plan, record: SetupRecord | null): SetupRecord {
  const made = missingFolders(dirname(plan.file))
  try {
    mkdirSync(dirname(plan.file), { recursive: true })
    if (plan.exclude !== null) addExclude(plan.exclude)
    if (plan.seed === 'missing') writeSeed(plan.folder)
    if (plan.before !== plan.after) writeWhole(plan.file, plan.after, 0o644)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InstallError('unwritable', `${plan.file} can't be written (${reason})`, null, { cause })
  }
  return {
    scope: plan.scope,
    folder: plan.folder,
    made: [...new Set([...(record?.made ?? []), ...made])],
    seeded: plan.seed === 'missing' || (record?.seeded ?? false),
    exclude: plan.exclude ?? record?.exclude ?? null,
    port: plan.choice.port,
  }
}

export interface Removed {
  /** `deleted`: our file; `nothing`: there was none; `foreign`: a file of that name is not ours. */
  readonly way: 'deleted' | 'nothing' | 'foreign'
  /** The folder for packages was prepared by us and is in use by now. */
  readonly keptSeed: boolean
}

/** Takes back what setup wrote into a settings folder. */
export function undoSetup(folder: string, record: SetupRecord | null): Removed {
  const file = wrapperIn(folder)
  const text = readOrNull(file)
  const way = text === null ? 'nothing' : isOurWrapper(text) ? 'deleted' : 'foreign'
  if (way === 'deleted') rmSync(file)
  if (record?.exclude) removeExclude(record.exclude)
  const wasSeeded = record?.seeded === true && seedState(folder) !== 'missing'
  const keptSeed = wasSeeded && !removeSeed(folder)
  for (const made of record?.made ?? []) removeIfEmpty(made)
  return { way, keptSeed }
}

/** Innermost first. */
function missingFolders(folder: string): readonly string[] {
  if (existsSync(folder) || dirname(folder) === folder) return []
  return [folder, ...missingFolders(dirname(folder))]
}

/** Also what a write leaves beside it when it is cut off. */
const EXCLUDE_LINE = '/.opencode/plugin/contextmd.js*'

function addExclude(exclude: string): void {
  mkdirSync(dirname(exclude), { recursive: true })
  const text = existsSync(exclude) ? readFileSync(exclude, 'utf8') : ''
  appendFileSync(exclude, `${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDE_LINE}\n`)
}

function removeExclude(exclude: string): void {
  if (!existsSync(exclude)) return
  const text = readFileSync(exclude, 'utf8')
  const start = `\n${text}`.lastIndexOf(`\n${EXCLUDE_LINE}\n`)
  if (start !== -1) writeFileSync(exclude, text.slice(0, start) + text.slice(start + EXCLUDE_LINE.length + 1))
}
