/** `contextmd setup claude-code` and `contextmd remove claude-code`: hooks and permissions in Claude Code's settings. */
import type { HookChoice } from '../harness/claude-code/install-hooks.ts'
import { readRules } from '../harness/claude-code/install-rules.ts'
import { deletePlugin } from '../harness/claude-code/install-plugin.ts'
import { planSetup, settingsPath, writtenWithoutRecord } from '../harness/claude-code/install.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from '../install/hook-scripts.ts'
import { goodHookToken, hookTokensIn, issueHookToken, renewHookToken, retireHookTokens } from '../install/hook-token.ts'
import type { Transport } from '../install/hook.ts'
import type { HostToken } from '../install/host-token.ts'
import { applySetup, findIn, undoSetup } from '../install/install.ts'
import { dropRecord, keepRecord, readRecords, recordFileIn, type SetupRecord } from '../install/record.ts'
import { DEFAULT_PORT, pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { leftLine } from './left-line.ts'
import { planFirstStore } from './first-store.ts'
import type { Known, Looked, Scoped } from './setup-harness.ts'
import { knownSetups, lookedAt, NO_TOKEN, removedLine } from './setup-hook-file.ts'
import { notesOn, obstaclesOn } from './setup-notes.ts'
import { hookSeconds, placeOf, type SetupOptions } from './setup-options.ts'
import { diffOf, doneReport, dryRunReport, nextSteps } from './setup-report.ts'
import { pluginLeftLines, pluginLines } from './setup-claude-plugin.ts'
import { foldersToRead } from './store-folders.ts'

const HARNESS = 'claude-code'
const START = 'claude, and ask it for a commit: it is held until it has the rule on commit messages'

/** `folder`: where the person stands. Gives the exit code. */
export function setUp(options: SetupOptions, io: Io, folder: string): number {
  const { paths, tokens, found, record, records, goodToken, choice, wish, draft, notes } = prepare(options, io, folder)
  const store = planFirstStore(paths)
  const isStale = staleHookFiles(paths.hooks, choice.token).length > 0
  const isChange = draft.isChange || goodToken === null || isStale || store.files.length > 0
  if (options.dryRun) {
    const diff = draft.isChange ? diffOf(found.file.path, found.file.text ?? '', draft.text) : ''
    io.stdout.write(dryRunReport({ diff, isChange, hooksFolder: paths.hooks, store: store.files, notes }))
    return 0
  }
  const token = goodToken ?? issueHookToken(tokens, HARNESS)
  renewHookToken(tokens, token, Date.now())
  writeHookFiles(paths.hooks, token)
  store.make()
  const plan = goodToken === null ? planSetup(found, { ...wish, choice: { ...choice, token } }) : draft
  const kept: SetupRecord = applySetup(plan, record)
  keepRecord(records, kept)
  io.stdout.write(doneReport({ plan, isChange, hooksFolder: paths.hooks, store: store.files, serving: paths.serving, notes }))
  if (isChange && options.isOneOfMany !== true) io.stdout.write(nextSteps(choice.port, START))
  return 0
}

/** Writes nothing. */
export function look(options: Scoped, io: Io, folder: string): Looked {
  const { paths, found, goodToken, draft, obstacles } = prepare({ ...options, transport: null, port: null, dryRun: true }, io, folder)
  return lookedAt({ harness: HARNESS, hooksFolder: paths.hooks, found, plan: draft, goodToken, shown: found.tokens[0] ?? null, obstacles })
}

export function known(io: Io): readonly Known[] {
  return knownSetups(HARNESS, 2, io)
}

function prepare(options: SetupOptions, io: Io, folder: string) {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const settings = settingsPath(options.scope, place.configFolder, place.project)
  const records = recordFileIn(paths.data)
  const kept = readRecords(records)
  const record = kept.find((one) => one.file === settings) ?? null
  const found = findIn(settings)
  const { tokens, host } = hookTokensIn(paths, () => Date.now(), options.inside)
  const goodToken = goodHookToken(tokens, [tokenInHookFiles(paths.hooks), ...found.tokens])
  const choice: HookChoice = {
    transport: transportFor(options.transport, record, host),
    port: options.port ?? record?.port ?? host?.port ?? DEFAULT_PORT,
    token: goodToken ?? NO_TOKEN,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
  }
  const wish = { scope: options.scope, choice, rules: readRules(foldersToRead(paths, place.home)), record, env: io.env }
  const draft = planSetup(found, wish)
  const others = kept.filter((one) => one.file !== settings)
  const notes = notesOn({ found, choice, others, place, goodToken })
  const obstacles = obstaclesOn({ found, choice, others: [], place, goodToken })
  return { paths, tokens, found, record, records, goodToken, choice, wish, draft, notes, obstacles }
}

/** `folder`: where the person stands. Gives the exit code. */
export function remove({ scope }: Scoped, io: Io, folder: string): number {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const settings = settingsPath(scope, place.configFolder, place.project)
  const recordFile = recordFileIn(paths.data)
  const record = readRecords(recordFile).find((kept) => kept.file === settings) ?? null

  const removed = undoSetup(findIn(settings), record, writtenWithoutRecord(readRules(foldersToRead(paths, place.home))))
  const left = dropRecord(recordFile, settings)
  const plugin = scope === 'user' ? deletePlugin(paths.data) : 'nothing'
  const retired = left.length === 0 && retire(io)

  const lines = [
    removedLine(removed, settings, 'Our hooks and rules are'),
    ...pluginLines(plugin, paths),
    ...(plugin === 'nothing' ? [] : pluginLeftLines(io)),
    ...left.map((other) => `Still set up in ${other.file}, so the hook scripts and their token stay.`),
    ...(retired ? ['The hook scripts are deleted and their token is revoked.'] : []),
    leftLine(paths),
    ...(removed.backup === null ? [] : [`Also left: ${removed.backup}, the settings as they were before setup.`]),
  ]
  io.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

/** Deletes the scripts and revokes their tokens. True if there was one. */
function retire(io: Io): boolean {
  const paths = pathsFrom(io.env)
  deleteHookFiles(paths.hooks)
  return retireHookTokens(openTokens(paths.tokens, { now: () => Date.now() }), HARNESS)
}

/** A host's port changes, and its token too; an http hook holds both. The script looks for them each time. */
function transportFor(asked: Transport | null, record: SetupRecord | null, host: HostToken | null): Transport {
  if (host === null) return asked ?? record?.transport ?? 'http'
  if (asked === 'http')
    throw new CommandError(
      'usage',
      'hooks that post into a host are commands: an http hook holds one port and one token, and a host changes both',
    )
  return 'command'
}
