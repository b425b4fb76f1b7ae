/** A process that serves as `contextmd serve` does, with an engine that was told its answers. First argument: port; second: `busy` if another one has the state. */
import { pathsFrom } from '../paths.ts'
import { tellEngine } from '../server/engine.fixture.ts'
import { startServer } from '../server/start.ts'
import { StateError } from '../state.ts'
import { openTokens } from '../state/tokens.ts'
import { serveUntilStopped } from './serve.ts'

const paths = pathsFrom()
const now = () => Date.now()
const [port, isBusy] = [Number(process.argv[2]), process.argv[3] === 'busy']
const openEngine = () => {
  if (isBusy) throw new StateError('taken', 'held by another process')
  return tellEngine()
}
const tokens = openTokens(paths.tokens, { now })
const start = () => startServer({ paths, port, version: '0.0.0', now, tokens, openEngine, report: () => {} })
const io = { stdout: process.stdout, stderr: process.stderr, env: process.env }
process.exitCode = await serveUntilStopped(start, { paths, askedPort: port === 0 ? null : port, io })
