/** `contextmd setup grok` and `contextmd remove grok`: the hook file of Grok Build, by the rules of Claude Code's setup. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { backupOf } from '../install/settings-file.ts'
import { dropRecord, keepRecord, readRecords, recordFileIn, type SetupRecord } from '../install/record.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from '../install/hook-scripts.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken, retireHookTokens } from '../install/hook-token.ts'
import { findIn, type Plan } from '../install/install.ts'
import { applySetup, hookFile, planSetup, takeBack } from '../harness/grok/install.ts'
import type { HookChoice } from '../harness/grok/install-hooks.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { leftLine } from './left-line.ts'
import { planFirstStore } from './first-store.ts'
import type { Known, Looked, Scoped } from './setup-harness.ts'
import { knownSetups, lookedAt, NO_TOKEN, note, removedLine, text } from './setup-hook-file.ts'
import { nextSteps } from './setup-report.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'

const HARNESS = 'grok'
const START = 'grok, in a new session, and ask it for a commit: it is held until it has the rule on commit messages'

/** `folder`: where the person stands. Gives the exit code. */
export function setUp(options: SetupOptions, io: Io, folder: string): number {
  if (options.transport === 'http')
    throw new CommandError('usage', 'Grok Build takes no http hooks to this machine: leave --transport out, its hooks are commands')
  const { paths, record, tokens, goodToken, plan, notes } = prepare(options, io, folder)
  const store = planFirstStore(paths)
  const isStale = goodToken === null || staleHookFiles(paths.hooks, goodToken ?? NO_TOKEN, HARNESS).length > 0
  const isChange = plan.isChange || isStale || store.files.length > 0

  if (options.dryRun) {
    io.stdout.write(dryRunReport(plan, isChange, paths, store.files, notes))
    return 0
  }
  const token = goodToken ?? issueHookToken(tokens, HARNESS)
  renewHookToken(tokens, token, Date.now())
  writeHookFiles(paths.hooks, token, HARNESS)
  store.make()
  keepRecord(recordFileIn(paths.data), applySetup(plan, record), HARNESS)
  io.stdout.write(doneReport(plan, isChange, paths, store.files, notes))
  if (isChange && options.isOneOfMany !== true) io.stdout.write(nextSteps(plan.choice.port, START))
  return 0
}

/** Writes nothing. */
export function look(options: Scoped, io: Io, folder: string): Looked {
  const { paths, found, goodToken, plan, obstacles } = prepare({ ...options, transport: null, port: null, dryRun: true }, io, folder)
  return lookedAt({ harness: HARNESS, hooksFolder: paths.hooks, found, plan, goodToken, obstacles })
}

export function known(io: Io): readonly Known[] {
  return knownSetups(HARNESS, 3, io)
}

function prepare(options: SetupOptions, io: Io, folder: string) {
  const paths = pathsFrom(io.env)
  const place = grokPlace(io.env, folder)
  const file = hookFile(options.scope, place.grokHome, place.project)
  const records = readRecords(recordFileIn(paths.data), HARNESS)
  const record = records.find((kept) => kept.file === file) ?? null
  const found = findIn(file)

  const { tokens, host } = hookTokensIn(paths, () => Date.now(), options.inside)
  const goodToken = goodHookToken(tokens, [tokenInHookFiles(paths.hooks, HARNESS)])
  const choice: HookChoice = {
    port: options.port ?? record?.port ?? host?.port ?? DEFAULT_PORT,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
  }
  const plan = planSetup(found, options.scope, choice, record)
  const notes = notesOn(plan, place, records)
  const obstacles = notesOn(plan, place, [])
  return { paths, file, record, tokens, goodToken, plan, notes, obstacles, found }
}

/** `folder`: where the person stands. Gives the exit code. */
export function remove({ scope }: Pick<SetupOptions, 'scope'>, io: Io, folder: string): number {
  const paths = pathsFrom(io.env)
  const place = grokPlace(io.env, folder)
  const file = hookFile(scope, place.grokHome, place.project)
  const recordFile = recordFileIn(paths.data)
  const record = readRecords(recordFile, HARNESS).find((kept) => kept.file === file) ?? null

  const removed = takeBack(findIn(file), record)
  const left = dropRecord(recordFile, file, HARNESS)
  const retired = left.length === 0 && retire(paths)
  io.stdout.write(
    text([
      removedLine(removed, file),
      ...left.map((other) => `Still set up in ${other.file}, so the hook scripts and their token stay.`),
      ...(retired ? ['The hook scripts are deleted, unless another harness needs them, and their token is revoked.'] : []),
      leftLine(paths),
      ...(removed.backup === null ? [] : [`Also left: ${removed.backup}, the file as it was before setup.`]),
    ]),
  )
  return 0
}

interface GrokPlace {
  /** `GROK_HOME`, or `~/.grok`. */
  readonly grokHome: string
  readonly project: string
}

function grokPlace(env: NodeJS.ProcessEnv, folder: string): GrokPlace {
  const { home, project } = placeOf(env, folder)
  return { grokHome: resolve(folder, env['GROK_HOME'] || join(home, '.grok')), project }
}

/** Revokes the token. True if there was one. */
function retire(paths: Paths): boolean {
  deleteHookFiles(paths.hooks, HARNESS)
  return retireHookTokens(openTokens(paths.tokens, { now: () => Date.now() }), HARNESS)
}

/** An administrator's pin, in any of the files that can hold one. A value that is no boolean counts as set; only `false` does not. */
const MANAGED_ONLY = /^\s*"?(?:allow_managed_hooks_only|allowManagedHooksOnly)"?\s*=(?!\s*false\b)/m
const POLICY_FILES = ['requirements.toml', 'managed_config.toml'] as const

/** What keeps our hooks from running: the harness skips them without a word (S13). */
function notesOn(plan: Plan, { grokHome }: GrokPlace, records: readonly SetupRecord[]): readonly string[] {
  const policies = ['/etc/grok', grokHome].flatMap((folder) => POLICY_FILES.map((name) => join(folder, name)))
  return [
    ...policies
      .filter((policy) => MANAGED_ONLY.test(readOrEmpty(policy)))
      .map((policy) => `${policy} allows an administrator's hooks only: ours will not run, and only the administrator can change that.`),
    ...(readOrEmpty(join(grokHome, 'disabled-hooks')).includes('contextmd')
      ? [`Our hooks are switched off in ${join(grokHome, 'disabled-hooks')}: switch them on in /hooks.`]
      : []),
    ...(plan.scope === 'project'
      ? [
          'Grok Build runs a project`s hooks only once the folder is trusted: grok --trust. Leave the file out of commits, it names a path of this machine.',
        ]
      : []),
    ...records
      .filter((other) => other.file !== plan.found.file.path && existsSync(other.file))
      .map((other) =>
        other.port === plan.choice.port
          ? `Also set up in ${other.file}: where both count, Grok Build runs the hooks once.`
          : `Also set up in ${other.file}, with port ${other.port}: both will run. To have one, run setup there with the same options.`,
      ),
  ]
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function dryRunReport(plan: Plan, isChange: boolean, paths: Paths, store: readonly string[], notes: readonly string[]): string {
  if (!isChange) return text(['Nothing would change: Grok Build is set up.', ...notes.map(note)])
  const { path, text: before } = plan.found.file
  const patch = createTwoFilesPatch(path, path, before ?? '', plan.text, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
  return text([
    ...(plan.isChange ? [patch.trimEnd(), ''] : []),
    `Would also write the hook scripts and their token to ${paths.hooks}.`,
    ...store.map((file) => `Would make ${file}`),
    ...notes.map(note),
    'Nothing was written.',
  ])
}

function doneReport(plan: Plan, isChange: boolean, paths: Paths, store: readonly string[], notes: readonly string[]): string {
  const { found, choice } = plan
  if (!isChange) return text([`Nothing to do: Grok Build is set up in ${found.file.path}.`, ...notes.map(note)])
  const isForeign = found.file.text !== null && !found.hasOurs
  return text([
    `Grok Build is set up (${plan.scope} hooks, port ${choice.port}).`,
    ...(plan.isChange ? [`  hook file ${found.file.path}${isForeign ? `  (as it was: ${backupOf(found.file.path)})` : ''}`] : []),
    `  scripts   ${paths.hooks}`,
    `  stores    ${paths.serving}${store.length === 0 ? '' : ', made now, with example entries:'}`,
    ...store.filter((file) => file !== paths.serving).map((file) => `            ${file}`),
    ...notes.map(note),
  ])
}
