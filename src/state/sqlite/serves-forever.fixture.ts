/** Opens the state in the folder of the first argument and serves, one delivery after the other; prints each when it is committed. */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

const [, , folder = '', name = ''] = process.argv
const files = { file: join(folder, 'data', 'contextmd.sqlite'), lockFile: join(folder, 'data', 'server.lock') }
const state = openSqliteState({ ...files, now: () => 1_000 })
for (let number = 1; ; number++) {
  serve(state, `${name}-${number}`)
  writeSync(1, `${name}-${number}\n`)
  if (number % 50 === 0) state.checkpoint()
}
