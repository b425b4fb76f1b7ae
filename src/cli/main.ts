/** The `contextmd` program: hands the process's own arguments, streams and environment to the command line. */
import { openAsk } from './ask.ts'
import { runCommandLine, explainFailure } from './run.ts'
import type { Io } from './command.ts'

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isTTY: process.stdout.isTTY === true,
  ...(process.stdin.isTTY === true ? { ask: openAsk(process.stdin, process.stderr) } : {}),
  input: async () => (await import('./standard-input.ts')).readInput(process.stdin),
}
const argv = process.argv.slice(2)

// node:sqlite still announces itself as experimental, in the middle of what a person reads.
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') io.stderr.write(`${warning.name}: ${warning.message}\n`)
})
// `contextmd log | head` closes our output: no reason to complain. A server goes on without its terminal.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' && argv[0] !== 'serve') process.exit(0)
})
process.stderr.on('error', () => {})
process.on('uncaughtException', (thrown) => {
  process.exit(explainFailure(thrown, io, argv[0]))
})

process.exitCode = await runCommandLine(argv, io)
