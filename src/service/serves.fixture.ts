/** A process that serves as version ARGV[2] on the data folder of its environment, on any free port, until it is told to stop. */
import { serveUntilStopped } from '../cli/serve.ts'
import { pathsFrom } from '../paths.ts'
import { tellEngine } from '../server/engine.fixture.ts'
import { startServer } from '../server/start.ts'
import { takeLock } from '../state/sqlite/lock.ts'
import { openTokens } from '../state/tokens.ts'

const paths = pathsFrom()
const now = () => Date.now()
const tokens = openTokens(paths.tokens, { now })
/** The engine is a played one, the state's lock is real. */
const openEngine = () => {
  const lock = takeLock(paths.lock)
  const engine = tellEngine()
  const close = engine.close
  return Object.assign(engine, { close: () => close().then(() => lock.release()) })
}
const version = process.argv[2] ?? ''
const start = () => startServer({ paths, port: 0, version, startedAs: 'background', now, tokens, openEngine, report: () => {} })
const io = { stdout: process.stdout, stderr: process.stderr, env: process.env }
process.exitCode = await serveUntilStopped(start, { paths, askedPort: null, io })
