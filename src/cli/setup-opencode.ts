/** `contextmd setup opencode` and `contextmd remove opencode`: the plugin, its token, a first store. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { applySetup, configFolder, planSetup, undoSetup, type Choice, type Plan, type Removed } from '../harness/opencode/install.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from '../harness/opencode/install-hooks.ts'
import { wrapperIn } from '../harness/opencode/install-plugin.ts'
import { dropRecord, keepRecord, readRecords, recordFileIn, type SetupRecord } from '../harness/opencode/install-record.ts'
import { seedPaths } from '../harness/opencode/install-seed.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken, retireHookTokens } from '../install/hook-token.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { realPathOf } from '../real-path.ts'
import { openTokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { leftLine } from './left-line.ts'
import { planFirstStore } from './first-store.ts'
import { projectAbove, type Known, type Looked, type Scoped } from './setup-harness.ts'
import { nextSteps } from './setup-report.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'
import { foldersToRead } from './store-folders.ts'

const HARNESS = 'opencode'
/** Stands for a token that is not issued yet. */
const NO_TOKEN = 'TOKEN'
const START =
  'start OpenCode anew (it loads plugins when it starts), and ask it for a commit: it is held until it has the rule on commit messages'

/** `folder`: where the person stands. Gives the exit code. */
export function setUp(options: SetupOptions, io: Io, folder: string): number {
  if (options.transport !== null) throw new CommandError('usage', 'OpenCode has one way only, a plugin: leave --transport out')
  const { paths, record, tokens, goodToken, plan, notes } = prepare(options, io, folder)
  const store = planFirstStore(paths)
  const isStale = goodToken === null || staleHookFiles(paths.hooks, goodToken ?? NO_TOKEN).length > 0
  const isChange = plan.isChange || isStale || store.files.length > 0

  if (options.dryRun) {
    io.stdout.write(dryRunReport(plan, isChange, paths, store.files, notes))
    return 0
  }
  const token = goodToken ?? issueHookToken(tokens, HARNESS)
  renewHookToken(tokens, token, Date.now())
  writeHookFiles(paths.hooks, token)
  store.make()
  keepRecord(recordFileIn(paths.data), applySetup(plan, record))
  io.stdout.write(isChange ? doneReport(plan, paths, store.files, notes) : lines(['Nothing to do: OpenCode is set up.', ...notes]))
  if (isChange && options.isOneOfMany !== true) io.stdout.write(nextSteps(plan.choice.port, START))
  return 0
}

/** Writes nothing. */
export function look(options: Scoped, io: Io, folder: string): Looked {
  const { paths, goodToken, plan, obstacles } = prepare({ ...options, transport: null, port: null, dryRun: true }, io, folder)
  const token = tokenInHookFiles(paths.hooks)
  return {
    file: plan.file,
    isThere: plan.before !== null,
    stale: [
      ...(plan.isChange ? (['hooks'] as const) : []),
      ...(staleHookFiles(paths.hooks, token ?? NO_TOKEN).length > 0 ? (['scripts'] as const) : []),
      ...(goodToken === null ? (['token'] as const) : []),
    ],
    port: plan.choice.port,
    isFixed: false,
    token,
    hooks: [],
    obstacles,
  }
}

export function known(io: Io): readonly Known[] {
  return readRecords(recordFileIn(pathsFrom(io.env).data)).map(({ scope, folder }) => ({
    scope,
    file: wrapperIn(folder),
    project: scope === 'project' ? projectAbove(folder, 1) : null,
  }))
}

function prepare(options: SetupOptions, io: Io, folder: string) {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const config = configFolder(options.scope, place.home, io.env, place.project)
  const records = readRecords(recordFileIn(paths.data))
  const record = records.find((kept) => kept.folder === config) ?? null
  const { tokens, host } = hookTokensIn(paths, () => Date.now(), options.inside)
  const goodToken = goodHookToken(tokens, [tokenInHookFiles(paths.hooks)])
  const readable = foldersToRead(paths, place.home)
  const choice: Choice = {
    port: options.port ?? record?.port ?? host?.port ?? DEFAULT_PORT,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
    // the program resolves links before it asks whether a file may be read
    readable: [...new Set(readable.flatMap((path) => [path, realPathOf(path)]))],
  }
  const plan = planSetup(options.scope, config, choice, io.env)
  return { paths, record, tokens, goodToken, plan, notes: notesOn(plan, records, io.env), obstacles: notesOn(plan, [], io.env) }
}

/** `folder`: where the person stands. Gives the exit code. */
export function remove({ scope }: Pick<SetupOptions, 'scope'>, io: Io, folder: string): number {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const config = configFolder(scope, place.home, io.env, place.project)
  const recordFile = recordFileIn(paths.data)
  const record = readRecords(recordFile).find((kept) => kept.folder === config) ?? null
  const removed = undoSetup(config, record)
  const left = dropRecord(recordFile, config)
  const isRetired = left.length === 0 && retire(paths)
  io.stdout.write(
    lines([
      removedLine(removed, config),
      ...(removed.keptSeed ? [`Left: ${seedPaths(config).join(', ')}, in use by now.`] : []),
      ...left.map((other) => `Still set up in ${other.folder}, so the plugin and its token stay.`),
      ...(isRetired ? ['Our copy of the plugin is deleted and its token is revoked.'] : []),
      leftLine(paths),
    ]),
  )
  return 0
}

/** Deletes the plugin and revokes its tokens. True if there was one. */
function retire(paths: Paths): boolean {
  deleteHookFiles(paths.hooks)
  return retireHookTokens(openTokens(paths.tokens, { now: () => Date.now() }), HARNESS)
}

/** What keeps the plugin from running, and what it touches. */
function notesOn(plan: Plan, records: readonly SetupRecord[], env: NodeJS.ProcessEnv): readonly string[] {
  const notes: string[] = []
  for (const other of records) {
    if (other.folder === plan.folder) continue
    const ports = other.port === plan.choice.port ? '' : `, with port ${other.port}`
    notes.push(`Also set up in ${other.folder}${ports}: where both count, OpenCode runs the project's.`)
  }
  if (plan.seed === 'missing')
    notes.push(
      `OpenCode waits for its own plugin package before it loads any plugin, without a network for minutes: ${plan.folder} is prepared so that it does not. A plugin of yours that imports @opencode-ai/plugin needs "npm install" there.`,
    )
  if (plan.seed === 'incomplete')
    notes.push(`OpenCode will install its plugin package into ${plan.folder} at its next start, and load no plugin before that.`)
  for (const name of ['OPENCODE_PURE', ...(plan.scope === 'project' ? ['OPENCODE_DISABLE_PROJECT_CONFIG'] : [])])
    if (env[name]) notes.push(`${name} is set here: OpenCode loads no plugin of this kind then.`)
  return notes.map((sentence) => `Note: ${sentence}`)
}

function dryRunReport(plan: Plan, isChange: boolean, paths: Paths, store: readonly string[], notes: readonly string[]): string {
  if (!isChange) return lines(['Nothing would change: OpenCode is set up.', ...notes])
  const diff =
    plan.before === plan.after
      ? []
      : [
          createTwoFilesPatch(plan.file, plan.file, plan.before ?? '', plan.after, undefined, undefined, {
            headerOptions: FILE_HEADERS_ONLY,
          }).trimEnd(),
          '',
        ]
  return lines([
    ...diff,
    `Would also write the plugin and its token to ${paths.hooks}.`,
    ...(plan.seed === 'missing' ? seedPaths(plan.folder).map((path) => `Would make ${path}`) : []),
    ...store.map((file) => `Would make ${file}`),
    ...notes,
    'Nothing was written.',
  ])
}

function doneReport(plan: Plan, paths: Paths, store: readonly string[], notes: readonly string[]): string {
  const { port } = plan.choice
  return lines([
    `OpenCode is set up (${plan.scope} settings, port ${port}).`,
    `  plugin    ${plan.file}`,
    `  its code  ${paths.hooks}`,
    `  stores    ${paths.serving}${store.length === 0 ? '' : ', made now, with example entries:'}`,
    ...store.filter((file) => file !== paths.serving).map((file) => `            ${file}`),
    ...(plan.exclude === null ? [] : [`  git       the plugin is left out of commits by ${plan.exclude}`]),
    ...notes,
  ])
}

function removedLine({ way }: Removed, folder: string): string {
  switch (way) {
    case 'deleted':
      return `Our plugin is out of ${folder}. An OpenCode that runs keeps it until its end.`
    case 'nothing':
      return `There was nothing of ours in ${folder}.`
    case 'foreign':
      return `The plugin contextmd.js in ${folder} is not ours, so it stays.`
    default:
      return way satisfies never
  }
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
