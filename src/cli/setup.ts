/** `contextmd setup`: connects harnesses with the server, once, in a way that can be taken back. */
import { findHarnesses, type FoundHarness } from '../install/harness-places.ts'
import { InstallError } from '../install/install-error.ts'
import { DEFAULT_PORT, homeFrom } from '../paths.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { loadSetup } from './setup-harness.ts'
import { platformNote } from './setup-platform.ts'
import { nextSteps } from './setup-report.ts'
import { asTried, chooseSide, takeSide } from './setup-inside.ts'
import { forSide, moveTokens, settleSide } from './setup-side.ts'
import { parseSetupOptions, type Asked, type SetupOptions } from './setup-options.ts'

const START = 'start your agent anew and ask it for a commit: it is held until it has the rule on commit messages'

export const command: Command = {
  name: 'setup',
  summary: 'Connects harnesses (agent programs) with ContextMD: hooks, token, a first store.',
  usage: `contextmd setup [HARNESS] [--scope user|project] [--transport http|command] [--port PORT] [--no-autostart] [--dry-run] [--yes]
contextmd setup [HARNESS] --inside [--base DIR] [--t3-program PROGRAM] [--credential-stdin]
contextmd setup claude-code --plugin
contextmd setup HARNESS --mcp [--scope user|project] [--port PORT] [--dry-run]

A harness is an agent program: claude-code, codex, grok or opencode. Without a name, those on this machine are found, and for each you are
shown what would change and asked. Writes hooks into the harness's settings, copies the hook scripts to the data folder, issues a token for them, lets the
agent read the stores and notes, and makes a first store if there is none. Keeps all other settings as they are, with a backup beside
them. Running it again changes nothing, or renews what has become stale. "contextmd remove" takes it back.

      --scope SCOPE     user: settings of your own (default); project: settings of this project that are not committed
      --transport WAY   http: the harness calls the server itself (default); command: a small script does, for where http hooks
                        are not allowed, or the settings are committed with git: the token is in a file of its own then.
                        Codex: command, or mcp: it calls a tool of the server itself, which must run when a session starts
      --port PORT       the server's port (default ${DEFAULT_PORT})
      --plugin          writes a plugin folder for Claude Code and says how to install it; no settings are touched
      --mcp             writes our endpoint into the harness's own list of MCP servers, with a token that does nothing else, so that its
                        agents can search and read entries by themselves; no hooks are touched. project: Claude Code and OpenCode
      --no-autostart    hooks do not start the server where it does not run; --autostart: they do again
      --inside          hooks post into T3 Code or Chromeria, which has ContextMD inside and must run now. Found by itself where nothing is
                        set up yet and no server beside runs. The host's own program gives a token that only reads; in its last 7 days
                        setup gets another. Hooks are commands then and start no server. --no-inside: a server beside again
      --base DIR        the host's base folder (default: T3CODE_HOME, else ~/.t3)
      --t3-program PROGRAM  the host's program, by name or path (default: CONTEXTMD_T3, else t3 on the PATH)
      --credential-stdin    the standard input holds a pairing credential that you made with that program: it is not asked
      --dry-run         shows what would change and writes nothing
      --yes             answers questions with yes: which harnesses to set up, and whether Codex may trust the hooks

CLAUDE_CONFIG_DIR names another folder than ~/.claude; CONTEXTMD_HOOK_TIMEOUT another limit for a hook than one second.`,
  async run(argv, io) {
    const options = parseSetupOptions(argv)
    const note = platformNote(process.platform)
    if (note !== null) io.stderr.write(`Note: ${note}\n`)
    if (options.mcp === true && options.harness !== null)
      return await (await import('./setup-agents.ts')).setUpAgents(options.harness, options, io, process.cwd())
    return await setUpChosen(options, io, process.cwd())
  },
}

/** All questions come before the first change, so that who breaks off at one has lost nothing. */
export async function setUpChosen(options: ReturnType<typeof parseSetupOptions>, io: Io, folder: string): Promise<number> {
  if (options.harness === null) refuseUnasked(options, io, folder)
  const choice = await chooseSide(options, io)
  const tried = asTried(choice, io)
  const { wanted, code: failed } = options.harness === null ? await askWhich(forSide(options, tried), io, folder) : ALL_ASKED
  if (options.dryRun) {
    if (choice.kind === 'new-token')
      io.stdout.write(`Would get a token that only reads from the host at http://127.0.0.1:${choice.host.port}.\n`)
    return Math.max(failed, await setUpAsked(forSide(options, tried), wanted, io, folder))
  }
  if (wanted?.length === 0 && choice.kind === 'new-token' && choice.kept === null) {
    io.stdout.write('Nothing was set up, so no token of the host was made.\n')
    return failed
  }
  const side = await takeSide(choice, options, io)
  moveTokens(side, io)
  const code = await setUpAsked(forSide(options, side), wanted, io, folder)
  await settleSide(side, options, io)
  return Math.max(failed, code)
}

/** `wanted`: of those that were found; null: one was named. */
async function setUpAsked(options: Asked<SetupOptions>, wanted: readonly FoundHarness[] | null, io: Io, folder: string): Promise<number> {
  if (options.harness === null) return await setUpWanted(wanted ?? [], options, io, folder)
  if (options.plugin === true) return (await import('./setup-claude-plugin.ts')).setUp(options, io)
  const { setUp } = await loadSetup(options.harness)
  return await setUp(options, io, folder)
}

/** What can't go on is told before anything is changed. Throws a `CommandError`. */
function refuseUnasked(options: Asked<SetupOptions>, io: Io, folder: string): readonly FoundHarness[] {
  if (options.transport !== null) throw new CommandError('usage', 'name the harness: --transport is not the same for all')
  const found = findHarnesses(io.env, homeFrom(io.env), folder)
  if (found.length === 0)
    throw new CommandError('failed', 'no harness (agent program) was found on this machine: name one (claude-code, codex, grok, opencode)')
  if (!options.dryRun && options.yes !== true && io.ask === undefined)
    throw new CommandError('failed', `found ${found.map(({ title }) => title).join(', ')}: name one, or add --yes to set up all of them`)
  return found
}

interface Wanted {
  readonly wanted: readonly FoundHarness[] | null
  /** Exit code: 1 where one of them can't be set up. */
  readonly code: number
}

const ALL_ASKED: Wanted = { wanted: null, code: 0 }

/** Which of those that are on the machine are to be set up: each is shown what would change. */
async function askWhich(options: SetupOptions & Pick<Asked<SetupOptions>, 'harness'>, io: Io, folder: string) {
  const found = refuseUnasked(options, io, folder)
  if (options.dryRun || options.yes === true) return { wanted: found, code: 0 }
  const wanted: FoundHarness[] = []
  let code = 0
  for (const one of found) {
    io.stdout.write(`── ${foundLine(one)}\n`)
    if (await withoutFailing(one, io, async () => (await isWanted(one, options, io, folder)) && wanted.push(one))) continue
    code = 1
  }
  return { wanted, code }
}

/** One after the other. One that fails keeps no other from being set up. Gives the exit code. */
async function setUpWanted(wanted: readonly FoundHarness[], options: Asked<SetupOptions>, io: Io, folder: string): Promise<number> {
  let code = 0
  let isOneSetUp = false
  for (const one of wanted) {
    io.stdout.write(`── ${foundLine(one)}\n`)
    const isDone = await withoutFailing(one, io, async () => {
      const { setUp, look } = await loadSetup(one.harness)
      const { isThere, stale } = look(options, io, folder)
      await setUp({ ...options, isOneOfMany: true }, io, folder)
      isOneSetUp ||= !isThere || stale.length > 0
    })
    if (!isDone) code = 1
  }
  if (isOneSetUp && !options.dryRun && options.isOneOfMany !== true) io.stdout.write(nextSteps(options.port ?? DEFAULT_PORT, START))
  return code
}

/** False if it failed, which is told. */
async function withoutFailing({ title }: FoundHarness, io: Io, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof InstallError || error instanceof CommandError)) throw error
    io.stderr.write(`contextmd: ${title}: ${error.message}\n`)
    return false
  }
}

async function isWanted({ harness, title }: FoundHarness, options: SetupOptions, io: Io, folder: string): Promise<boolean> {
  const { setUp } = await loadSetup(harness)
  await setUp({ ...options, dryRun: true }, io, folder)
  const answer = (await io.ask?.(`Set up ${title}? [Y/n] `)) ?? 'n'
  return /^(y(es)?)?$/i.test(answer.trim())
}

function foundLine({ title, program, folder }: FoundHarness): string {
  return `${title}: ${program ?? 'its program is not on the PATH'}, ${folder === null ? 'no settings yet' : `settings in ${folder}`}`
}
