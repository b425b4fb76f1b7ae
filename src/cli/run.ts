/** Finds the command that was asked for and runs it; turns whatever it throws into one line and an exit code. */
import { nearest } from '../stores/nearest.ts'
import { COMMAND_NAMES, WORDS, loadCommand } from './commands.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { readVersion } from './version.ts'

const OK = 0
const FAILED = 1
/** As in sysexits.h. Never 2: a harness takes that code of a hook for a deny (S11). */
const USAGE = 64

export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  try {
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') return await help(rest[0], io)
    if (name === '--version' || name === '-v') {
      io.stdout.write(`${readVersion()}\n`)
      return OK
    }
    const command = await findCommand(name)
    if (wantsHelp(rest)) {
      io.stdout.write(`${command.usage}\n`)
      return OK
    }
    return await withSuggestion(command, () => command.run(rest, io))
  } catch (thrown) {
    return explainFailure(thrown, io, name)
  }
}

/** Says which option was meant: those that the command's own help names. */
async function withSuggestion(command: Command, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (thrown) {
    const word = unknownOption(thrown)
    if (word === null) throw thrown
    const known = [...new Set(command.usage.match(/--[a-z][a-z-]*/g))]
    const meant = nearest(word, known)
    const hint = meant === null ? '' : `: did you mean ${meant}?`
    throw new CommandError('usage', `there is no option ${word}${hint}`, { cause: thrown })
  }
}

/** Null for anything else that was thrown. */
function unknownOption(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return null
  return /'([^']+)'/.exec(thrown.message)?.[1] ?? null
}

/** The one place where the command line meets a failure that nobody foresaw. Gives the exit code. */
export function explainFailure(thrown: unknown, io: Io, name: string | undefined): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  io.stderr.write(`contextmd: ${oneLine(error.message || error.name)}\n`)
  if (isUsage(error)) {
    io.stderr.write(name === undefined ? 'See: contextmd --help\n' : `See: contextmd ${name} --help\n`)
    return USAGE
  }
  if (io.env['CONTEXTMD_DEBUG']) io.stderr.write(`${error.stack ?? error.message}\n`)
  return FAILED
}

async function help(name: string | undefined, io: Io): Promise<number> {
  if (name !== undefined) {
    io.stdout.write(`${(await findCommand(name)).usage}\n`)
    return OK
  }
  const commands = await Promise.all(COMMAND_NAMES.map(findCommand))
  const width = Math.max(...commands.map((command) => command.name.length))
  const list = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
  const head =
    'contextmd COMMAND [OPTIONS]\n\nServes your Markdown rules to coding agents at the moment they matter, and proves that they got them.'
  io.stdout.write(
    `${head}\n\n${list.join('\n')}\n\ncontextmd COMMAND --help says more about one of them; contextmd --version tells the version.\n`,
  )
  return OK
}

async function findCommand(name: string): Promise<Command> {
  const command = await loadCommand(name)
  if (command !== null) return command
  const suggestion = nearest(name, WORDS)
  const hint = suggestion === null ? 'contextmd --help lists all commands' : `did you mean "${suggestion}"?`
  throw new CommandError('failed', `there is no command "${name}": ${hint}`)
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).some((argument) => argument === '--help' || argument === '-h')
}

function isUsage(error: Error): boolean {
  if (error instanceof CommandError) return error.code === 'usage'
  // node:util parseArgs tells in its code that the call was wrong.
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}
