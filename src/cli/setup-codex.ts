/** `contextmd setup codex` and `contextmd remove codex`: Codex's hook file and its trust, by the rules of Claude Code's setup. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { backupOf } from '../install/settings-file.ts'
import { dropRecord, keepRecord, readRecords, recordFileIn, type SetupRecord } from '../install/record.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from '../install/hook-scripts.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken, retireHookTokens } from '../install/hook-token.ts'
import { HOOK_SERVER } from '../install/hook.ts'
import { ourHooks } from '../install/placed-hooks.ts'
import { looseLine, readSettings } from '../install/settings-text.ts'
import { findIn, type Found, type Plan } from '../install/install.ts'
import type { HookChoice } from '../harness/codex/install-hooks.ts'
import { hookKeyOf } from '../harness/hook-key.ts'
import { applySetup, hookFile, planSetup, takeBack } from '../harness/codex/install.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { leftLine } from './left-line.ts'
import { planFirstStore } from './first-store.ts'
import { dropServer, putServer } from './setup-codex-server.ts'
import { askForTrust, takeTrustBack, type Trusted } from './setup-codex-trust.ts'
import { chooseWay } from './setup-codex-way.ts'
import type { Known, Looked, Scoped } from './setup-harness.ts'
import { knownSetups, lookedAt, NO_TOKEN, note, removedLine, text } from './setup-hook-file.ts'
import { nextSteps } from './setup-report.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'

const HARNESS = 'codex'
const START = 'codex, in a new session, and ask it for a commit: it is held until it has the rule on commit messages'

/** `folder`: where the person stands. Gives the exit code. */
export async function setUp(options: SetupOptions, io: Io, folder: string): Promise<number> {
  const { paths, file, record, tokens, goodToken, plan: draft, replan, choice, why, notes } = prepare(options, io, folder)
  const store = planFirstStore(paths)
  const isStale = goodToken === null || staleHookFiles(paths.hooks, goodToken ?? NO_TOKEN, HARNESS).length > 0
  const isDraftChange = draft.isChange || isStale || store.files.length > 0

  if (options.dryRun) {
    io.stdout.write(dryRunReport(draft, why, isDraftChange, paths, store.files, notes))
    return 0
  }
  const token = goodToken ?? issueHookToken(tokens, HARNESS)
  renewHookToken(tokens, token, Date.now())
  writeHookFiles(paths.hooks, token, HARNESS)
  store.make()
  const isPut = choice.way === 'mcp' && (await putServer(io, folder, { ...choice, token }))
  const plan = goodToken === null ? replan(token) : draft
  keepRecord(recordFileIn(paths.data), applySetup(plan, record), HARNESS)
  const left = choice.way === 'command' && record?.transport === 'mcp' ? await dropServer(io, folder) : null
  const isChange = isDraftChange || isPut
  const trusted = await askForTrust({ io, file, folder }, options.yes ?? false)
  io.stdout.write(doneReport({ plan, why, isChange, paths, store: store.files, notes: left === null ? notes : [...notes, left], trusted }))
  if ((isChange || trusted.state === 'given') && options.isOneOfMany !== true) io.stdout.write(nextSteps(plan.choice.port, START))
  return 0
}

/** Writes nothing. */
export function look(options: Scoped, io: Io, folder: string): Looked {
  const { paths, place, found, goodToken, plan, obstacles } = prepare({ ...options, transport: null, port: null, dryRun: true }, io, folder)
  return lookedAt({
    harness: HARNESS,
    hooksFolder: paths.hooks,
    found,
    plan,
    goodToken,
    isTokenStale: plan.choice.transport === 'mcp' && !holds(place.config, tokenInHookFiles(paths.hooks, HARNESS)),
    obstacles,
  })
}

export function known(io: Io): readonly Known[] {
  return knownSetups(HARNESS, 2, io)
}

function prepare(options: SetupOptions, io: Io, folder: string) {
  const paths = pathsFrom(io.env)
  const place = codexPlace(io.env, folder)
  const file = hookFile(options.scope, place.codexHome, place.project)
  const records = readRecords(recordFileIn(paths.data), HARNESS)
  const record = records.find((kept) => kept.file === file) ?? null
  const found = findIn(file)

  const { tokens, host } = hookTokensIn(paths, () => Date.now(), options.inside)
  const goodToken = goodHookToken(tokens, [tokenInHookFiles(paths.hooks, HARNESS)])
  const before = record === null ? null : record.transport === 'mcp' ? 'mcp' : 'command'
  const { way, why } = chooseWay(options, before, io, host !== null)
  const choice: HookChoice = {
    way,
    key: hookKeyOf(goodToken ?? NO_TOKEN),
    port: options.port ?? record?.port ?? host?.port ?? DEFAULT_PORT,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
  }
  const plan = planSetup(found, options.scope, choice, record)
  // the key follows from the token
  const replan = (token: string): Plan => planSetup(found, options.scope, { ...choice, key: hookKeyOf(token) }, record)
  const notes = notesOn(plan, records)
  const obstacles = notesOn(plan, [])
  return { paths, place, file, record, tokens, goodToken, choice, why, plan, replan, notes, obstacles, found }
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
  const leftServer = record?.transport === 'mcp' || hasToolHooks(found) ? await dropServer(io, folder) : null
  const removed = takeBack(found, record)
  const left = dropRecord(recordFile, file, HARNESS)
  const retired = left.length === 0 && retire(paths)
  io.stdout.write(
    text([
      removedLine(removed, file),
      ...(removed.way === 'edited' ? ['Codex asks again about hooks that stood after ours.'] : []),
      ...(leftTrust === null ? [] : [leftTrust]),
      ...(leftServer === null ? [] : [leftServer]),
      ...left.map((other) => `Still set up in ${other.file}, so the hook scripts and their token stay.`),
      ...(retired ? ['The hook scripts are deleted, unless another harness needs them, and their token is revoked.'] : []),
      leftLine(paths),
      ...(removed.backup === null ? [] : [`Also left: ${removed.backup}, the file as it was before setup.`]),
    ]),
  )
  return 0
}

interface CodexPlace {
  /** `CODEX_HOME`, or `~/.codex`. */
  readonly codexHome: string
  /** Codex's own settings of the person. */
  readonly config: string
  readonly project: string
}

function codexPlace(env: NodeJS.ProcessEnv, folder: string): CodexPlace {
  const { home, project } = placeOf(env, folder)
  const codexHome = resolve(folder, env['CODEX_HOME'] || join(home, '.codex'))
  return { codexHome, config: join(codexHome, 'config.toml'), project }
}

/** True if a file holds the token. */
function holds(file: string, token: string | null): boolean {
  try {
    return token !== null && readFileSync(file, 'utf8').includes(`Bearer ${token}`)
  } catch {
    return false
  }
}

function hasToolHooks({ file }: Found): boolean {
  return ourHooks(readSettings(file.text ?? '', file.path)).some(({ hook }) => hook['type'] === 'mcp_tool')
}

/** Revokes the token. True if there was one. */
function retire(paths: Paths): boolean {
  deleteHookFiles(paths.hooks, HARNESS)
  return retireHookTokens(openTokens(paths.tokens, { now: () => Date.now() }), HARNESS)
}

function notesOn(plan: Plan, records: readonly SetupRecord[]): readonly string[] {
  const { path, text: before } = plan.found.file
  const loose = looseLine(before ?? '')
  return [
    ...(loose === null
      ? []
      : [
          `Codex ignores a hook file with comments or trailing commas (${path}:${loose}), all of it: nothing will be served until they are taken out.`,
        ]),
    ...(plan.scope === 'project'
      ? ["Codex runs a project's hooks only once the project is trusted. Leave the file out of commits, it names a folder of this machine."]
      : []),
    ...records
      .filter((other) => other.file !== plan.found.file.path && existsSync(other.file))
      .map((other) => `Also set up in ${other.file}: where both files count, every hook runs twice. Remove one of them.`),
  ]
}

function dryRunReport(
  plan: Plan,
  why: string,
  isChange: boolean,
  paths: Paths,
  store: readonly string[],
  notes: readonly string[],
): string {
  if (!isChange) return text(['Nothing would change: Codex is set up.', ...notes.map(note)])
  const { path, text: before } = plan.found.file
  const patch = createTwoFilesPatch(path, path, before ?? '', plan.text, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
  return text([
    ...(plan.isChange ? [masked(patch).trimEnd(), ''] : []),
    `The way: ${why}.`,
    `Would also write the hook scripts and their token to ${paths.hooks}.`,
    ...store.map((file) => `Would make ${file}`),
    ...(plan.choice.transport === 'mcp'
      ? [`Would have Codex write our server into its config.toml, under [mcp_servers.${HOOK_SERVER}].`]
      : []),
    ...(plan.isChange ? ['Would then ask whether Codex may trust these hooks.'] : []),
    ...notes.map(note),
    'Nothing was written.',
  ])
}

/** No secret on a screen that others may see, or that is pasted into an issue. */
function masked(diff: string): string {
  return diff.replaceAll(/("key": ")[^"]+/g, '$1****')
}

interface Done {
  readonly plan: Plan
  readonly why: string
  readonly isChange: boolean
  readonly paths: Paths
  readonly store: readonly string[]
  readonly notes: readonly string[]
  readonly trusted: Trusted
}

function doneReport({ plan, why, isChange, paths, store, notes, trusted }: Done): string {
  const { found, choice } = plan
  const told = [...notes, ...(trusted.state === 'missing' ? [trusted.cure] : [])].map(note)
  if (!isChange && trusted.state !== 'given') return text([`Nothing to do: Codex is set up in ${found.file.path}.`, ...told])
  const isForeign = found.file.text !== null && !found.hasOurs
  return text([
    `Codex is set up (${plan.scope} hooks, port ${choice.port}).`,
    ...(plan.isChange ? [`  hook file ${found.file.path}${isForeign ? `  (as it was: ${backupOf(found.file.path)})` : ''}`] : []),
    `  way       ${why}`,
    `  scripts   ${paths.hooks}`,
    ...(choice.transport === 'mcp' ? [`  server    [mcp_servers.${HOOK_SERVER}] of its config.toml`] : []),
    ...(trusted.state === 'missing' ? [] : ['  trust     given, in [hooks.state] of its config.toml']),
    `  stores    ${paths.serving}${store.length === 0 ? '' : ', made now, with example entries:'}`,
    ...store.filter((file) => file !== paths.serving).map((file) => `            ${file}`),
    ...told,
  ])
}
