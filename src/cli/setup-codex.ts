/** `contextmd setup codex` and `contextmd remove codex`: Codex's hook file and its trust, by the rules of Claude Code's setup. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { backupOf } from '../harness/claude-code/install-file.ts'
import { dropRecord, keepRecord, readRecords, recordFileIn, type SetupRecord } from '../harness/claude-code/install-record.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from '../harness/claude-code/install-scripts.ts'
import { findIn, type Plan, type Removed } from '../harness/claude-code/install.ts'
import type { HookChoice } from '../harness/codex/install-hooks.ts'
import { applySetup, hookFile, planSetup, takeBack } from '../harness/codex/install.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { openTokens, type Tokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { planFirstStore } from './first-store.ts'
import { askForTrust, takeTrustBack, type Trusted } from './setup-codex-trust.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'

const HARNESS = 'codex'
/** The name of the hooks' token in the list of tokens: removing revokes all of that name. */
export const HOOK_TOKEN_NAME = 'codex hooks'
/** It does no more than post moments from this machine; a short life would end serving without a word (T15). */
const TOKEN_DAYS = 3_650
const TOKEN_SCOPES = ['orchestration:read'] as const
/** Stands for a token that is not issued yet. */
const NO_TOKEN = 'TOKEN'

/** `folder`: where the person stands. Gives the exit code. */
export async function setUp(options: SetupOptions, io: Io, folder: string): Promise<number> {
  if (options.transport === 'http')
    throw new CommandError('usage', 'Codex has no http hooks: leave --transport out, its hooks are commands')
  const paths = pathsFrom(io.env)
  const place = codexPlace(io.env, folder)
  const file = hookFile(options.scope, place.codexHome, place.project)
  const records = readRecords(recordFileIn(paths.data), HARNESS)
  const record = records.find((kept) => kept.file === file) ?? null
  const found = findIn(file)

  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const goodToken = goodOrNull(tokens, tokenInHookFiles(paths.hooks, HARNESS))
  const choice: HookChoice = {
    port: options.port ?? record?.port ?? DEFAULT_PORT,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
  }
  const store = planFirstStore(paths)
  const plan = planSetup(found, options.scope, choice, record)
  const notes = notesOn(plan, records)
  const isStale = goodToken === null || staleHookFiles(paths.hooks, goodToken ?? NO_TOKEN, HARNESS).length > 0
  const isChange = plan.isChange || isStale || store.files.length > 0

  if (options.dryRun) {
    io.stdout.write(dryRunReport(plan, isChange, paths, store.files, notes))
    return 0
  }
  const token = goodToken ?? tokens.issue({ name: HOOK_TOKEN_NAME, scopes: TOKEN_SCOPES, days: TOKEN_DAYS }).token
  writeHookFiles(paths.hooks, token, HARNESS)
  store.make()
  keepRecord(recordFileIn(paths.data), applySetup(plan, record), HARNESS)
  const trusted = await askForTrust({ io, file, folder }, options.yes ?? false)
  io.stdout.write(doneReport({ plan, isChange, paths, store: store.files, notes, trusted }))
  return 0
}

/** `folder`: where the person stands. Gives the exit code. */
export async function remove({ scope }: Pick<SetupOptions, 'scope'>, io: Io, folder: string): Promise<number> {
  const paths = pathsFrom(io.env)
  const place = codexPlace(io.env, folder)
  const file = hookFile(scope, place.codexHome, place.project)
  const recordFile = recordFileIn(paths.data)
  const record = readRecords(recordFile, HARNESS).find((kept) => kept.file === file) ?? null

  const found = findIn(file)
  // while the hooks are there: Codex knows them by their place in the file
  const leftTrust = found.hasOurs ? await takeTrustBack({ io, file, folder }) : null
  const removed = takeBack(found, record)
  const left = dropRecord(recordFile, file, HARNESS)
  const retired = left.length === 0 && retire(paths)
  io.stdout.write(
    text([
      removedLine(removed, file),
      ...(leftTrust === null ? [] : [leftTrust]),
      ...left.map((other) => `Still set up in ${other.file}, so the hook scripts and their token stay.`),
      ...(retired ? ['The hook scripts are deleted, unless another harness needs them, and their token is revoked.'] : []),
      `Left as they are: ${paths.serving}, your stores, and ${paths.data} with the log and the state.`,
      ...(removed.backup === null ? [] : [`Also left: ${removed.backup}, the file as it was before setup.`]),
    ]),
  )
  return 0
}

interface CodexPlace {
  /** `CODEX_HOME`, or `~/.codex`. */
  readonly codexHome: string
  readonly project: string
}

function codexPlace(env: NodeJS.ProcessEnv, folder: string): CodexPlace {
  const { home, project } = placeOf(env, folder)
  return { codexHome: resolve(folder, env['CODEX_HOME'] || join(home, '.codex')), project }
}

function goodOrNull(tokens: Tokens, token: string | null): string | null {
  return token !== null && tokens.check(token, TOKEN_SCOPES[0]) === 'ok' ? token : null
}

/** Revokes the token. True if there was one. */
function retire(paths: Paths): boolean {
  deleteHookFiles(paths.hooks, HARNESS)
  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const ours = tokens.list().filter(({ name, revokedAt }) => name === HOOK_TOKEN_NAME && revokedAt === null)
  for (const { id } of ours) tokens.revoke(id)
  return ours.length > 0
}

function notesOn(plan: Plan, records: readonly SetupRecord[]): readonly string[] {
  return [
    ...(plan.scope === 'project'
      ? ["Codex runs a project's hooks only once the project is trusted. Leave the file out of commits, it names a folder of this machine."]
      : []),
    ...records
      .filter((other) => other.file !== plan.found.file.path && existsSync(other.file))
      .map((other) => `Also set up in ${other.file}: where both files count, every hook runs twice. Remove one of them.`),
  ]
}

function dryRunReport(plan: Plan, isChange: boolean, paths: Paths, store: readonly string[], notes: readonly string[]): string {
  if (!isChange) return text(['Nothing would change: Codex is set up.', ...notes.map(note)])
  const { path, text: before } = plan.found.file
  const patch = createTwoFilesPatch(path, path, before ?? '', plan.text, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
  return text([
    ...(plan.isChange ? [patch.trimEnd(), ''] : []),
    `Would also write the hook scripts and their token to ${paths.hooks}.`,
    ...store.map((file) => `Would make ${file}`),
    ...(plan.isChange ? ['Would then ask whether Codex may trust these hooks.'] : []),
    ...notes.map(note),
    'Nothing was written.',
  ])
}

interface Done {
  readonly plan: Plan
  readonly isChange: boolean
  readonly paths: Paths
  readonly store: readonly string[]
  readonly notes: readonly string[]
  readonly trusted: Trusted
}

function doneReport({ plan, isChange, paths, store, notes, trusted }: Done): string {
  const { found, choice } = plan
  const told = [...notes, ...(trusted.state === 'missing' ? [trusted.cure] : [])].map(note)
  if (!isChange && trusted.state !== 'given') return text([`Nothing to do: Codex is set up in ${found.file.path}.`, ...told])
  const isForeign = found.file.text !== null && !found.hasOurs
  return text([
    `Codex is set up (${plan.scope} hooks, port ${choice.port}).`,
    ...(plan.isChange ? [`  hook file ${found.file.path}${isForeign ? `  (as it was: ${backupOf(found.file.path)})` : ''}`] : []),
    `  scripts   ${paths.hooks}`,
    ...(trusted.state === 'missing' ? [] : ['  trust     given, in [hooks.state] of its config.toml']),
    `  stores    ${paths.serving}${store.length === 0 ? '' : ', made now, with example entries:'}`,
    ...store.filter((file) => file !== paths.serving).map((file) => `            ${file}`),
    ...told,
    '',
    'Next:',
    `  1. ${choice.port === DEFAULT_PORT ? 'contextmd serve' : `contextmd serve --port ${choice.port}`}`,
    '  2. codex, in a new session, and ask it for a commit: it is held until it has read the rule on commit messages',
    '  3. contextmd log shows what was served and whether the model got it',
  ])
}

function removedLine({ way }: Removed, file: string): string {
  switch (way) {
    case 'restored':
      return `${file} is byte for byte what it was before setup.`
    case 'deleted':
      return `${file} is deleted: there was none before setup.`
    case 'edited':
      return `Our hooks are out of ${file}; the rest was changed since setup and is as it was. Codex asks again about hooks that stood after ours.`
    case 'nothing':
      return `There was nothing of ours in ${file}.`
    default:
      return way satisfies never
  }
}

function note(sentence: string): string {
  return `Note: ${sentence}`
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
