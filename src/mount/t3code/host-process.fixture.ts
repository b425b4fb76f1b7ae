/**
 * A small host in a process of its own.
 *
 * Arguments: its state folder, its database, then the way in which it differs, as `run-host.fixture.ts` takes it. Prints its port when it
 * is up; ends when its input ends, or by SIGTERM.
 */
import { runHost } from './run-host.fixture.ts'

const [stateDir = '', database = '', way = ''] = process.argv.slice(2)
const host = await runHost({ stateDir, database }, { way })
console.log(host.port)
const end = (): void => void host.stop().then(() => process.exit(0))
process.on('SIGTERM', end)
process.stdin.on('end', end).resume()
