/** `contextmd setup`: connects a harness with the server, once, in a way that can be taken back. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { HookChoice } from '../harness/claude-code/install-hooks.ts'
import { keepRecord, readRecords, recordFileIn, type SetupRecord } from '../harness/claude-code/install-record.ts'
import { readRules } from '../harness/claude-code/install-rules.ts'
import { staleHookFiles, tokenInHookFiles, writeHookFiles } from '../harness/claude-code/install-scripts.ts'
import { applySetup, findIn, planSetup, settingsPath } from '../harness/claude-code/install.ts'
import { DEFAULT_PORT, pathsFrom } from '../paths.ts'
import { openTokens, type Tokens } from '../state/tokens.ts'
import type { Command, Io } from './command.ts'
import { planFirstStore } from './first-store.ts'
import { hookSeconds, parseSetupOptions, placeOf, type SetupOptions } from './setup-options.ts'
import { loadSetup } from './setup-harness.ts'
import { notesOn } from './setup-notes.ts'
import { doneReport, dryRunReport } from './setup-report.ts'
import { foldersToRead } from './store-folders.ts'

/** The name of the hooks' token in the list of tokens: removing revokes all of that name. */
export const HOOK_TOKEN_NAME = 'claude-code hooks'
/** It does no more than post moments from this machine; a short life would end serving without a word (T15). */
const TOKEN_DAYS = 3_650
const TOKEN_SCOPES = ['orchestration:read'] as const
/** Stands for a token that is not issued yet. */
const NO_TOKEN = 'TOKEN'

export const command: Command = {
  name: 'setup',
  summary: 'Connects a coding agent with ContextMD: hooks, token, a first store.',
  usage: `contextmd setup HARNESS [--scope user|project] [--transport http|command] [--port PORT] [--dry-run] [--yes]

HARNESS is claude-code, codex, grok or opencode. Writes hooks into its settings, copies the hook scripts to the data folder, issues a token for them, lets the agent read the
stores and notes, and makes a first store if there is none. Keeps all other settings as they are, with a backup beside them. Running it
again changes nothing, or renews what has become stale. "contextmd remove HARNESS" takes it back.

      --scope SCOPE     user: settings of your own (default); project: settings of this project that are not committed
      --transport WAY   http: the harness calls the server itself (default); command: a small script does, for where http hooks
                        are not allowed, or the settings are committed with git: the token is in a file of its own then
      --port PORT       the server's port (default ${DEFAULT_PORT})
      --dry-run         shows what would change and writes nothing
      --yes             answers questions with yes: Codex is asked to trust the hooks

CLAUDE_CONFIG_DIR names another folder than ~/.claude; CONTEXTMD_HOOK_TIMEOUT another limit for a hook than one second.`,
  async run(argv, io) {
    const options = parseSetupOptions(argv)
    const { setUp: setUpHarness } = await loadSetup(options.harness)
    return await setUpHarness(options, io, process.cwd())
  },
}

/** `folder`: where the person stands. Gives the exit code. */
export function setUp(options: SetupOptions, io: Io, folder: string): number {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const settings = settingsPath(options.scope, place.configFolder, place.project)
  const records = readRecords(recordFileIn(paths.data))
  const record = records.find((kept) => kept.file === settings) ?? null
  const found = findIn(settings)

  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const goodToken = firstGood(tokens, [tokenInHookFiles(paths.hooks), ...found.tokens])
  const choice: HookChoice = {
    transport: options.transport ?? record?.transport ?? 'http',
    port: options.port ?? record?.port ?? DEFAULT_PORT,
    token: goodToken ?? NO_TOKEN,
    hooksFolder: paths.hooks,
    seconds: hookSeconds(io.env),
  }
  const store = planFirstStore(paths)
  const wish = { scope: options.scope, choice, rules: readRules(foldersToRead(paths, place.home)), record, env: io.env }
  const draft = planSetup(found, wish)
  const notes = notesOn({ found, choice, others: records.filter((kept) => kept.file !== settings), place, goodToken })
  const isChange = draft.isChange || goodToken === null || staleHookFiles(paths.hooks, choice.token).length > 0 || store.files.length > 0

  if (options.dryRun) {
    const diff = draft.isChange ? diffOf(settings, found.file.text ?? '', draft.text) : ''
    io.stdout.write(dryRunReport({ diff, isChange, hooksFolder: paths.hooks, store: store.files, notes }))
    return 0
  }

  const token = goodToken ?? tokens.issue({ name: HOOK_TOKEN_NAME, scopes: TOKEN_SCOPES, days: TOKEN_DAYS }).token
  writeHookFiles(paths.hooks, token)
  store.make()
  const plan = goodToken === null ? planSetup(found, { ...wish, choice: { ...choice, token } }) : draft
  const kept: SetupRecord = applySetup(plan, record)
  keepRecord(recordFileIn(paths.data), kept)
  io.stdout.write(doneReport({ plan, isChange, hooksFolder: paths.hooks, store: store.files, serving: paths.serving, notes }))
  return 0
}

function diffOf(file: string, before: string, after: string): string {
  return createTwoFilesPatch(file, file, before, after, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
}

function firstGood(tokens: Tokens, candidates: readonly (string | null)[]): string | null {
  return candidates.find((token) => token !== null && tokens.check(token, TOKEN_SCOPES[0]) === 'ok') ?? null
}
