/**
 * Opens the state in the folder of the first argument, and does what each line of its input says: `serve DELIVERY`, `put-away`. Answers each
 * with `ok` or the error's code. Ends with its input, without closing the state.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StateError } from '../../state.ts'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

function answerOf(work: () => void): string {
  try {
    work()
    return 'ok'
  } catch (thrown) {
    return thrown instanceof StateError ? thrown.code : String(thrown)
  }
}

const [, , folder = ''] = process.argv
const files = { file: join(folder, 'data', 'contextmd.sqlite'), lockFile: join(folder, 'data', 'server.lock') }
const state = openSqliteState({ ...files, now: () => 1_000 })
console.log('open')
for await (const line of createInterface({ input: process.stdin })) {
  const [what, delivery = ''] = line.split(' ')
  console.log(
    answerOf(() => {
      if (what === 'serve') serve(state, delivery)
      else while (state.putAway());
    }),
  )
}
