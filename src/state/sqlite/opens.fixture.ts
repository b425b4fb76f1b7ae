/** Opens the state in the folder of the first argument, serves once, and prints `ok` or the error's code. */
import { join } from 'node:path'
import { StateError } from '../../state.ts'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

const folder = process.argv[2] ?? ''
try {
  const state = openSqliteState({ file: join(folder, 'contextmd.sqlite'), lockFile: join(folder, 'server.lock'), now: () => 1_000 })
  serve(state, 'd-1')
  state.close()
  console.log('ok')
} catch (thrown) {
  console.log(thrown instanceof StateError ? thrown.code : String(thrown))
}
