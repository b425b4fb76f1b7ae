/** Takes the lock named in the first argument, says so, and lives until its input ends. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StateError } from '../../state.ts'
import { takeLock } from './lock.ts'

try {
  takeLock(process.argv[2] ?? '')
  // the lock must outlive what nobody refers to any more
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  console.log('held')
  process.stdin.resume()
} catch (thrown) {
  console.log(thrown instanceof StateError ? thrown.code : String(thrown))
}
