/** In a folder on a small disk: serves until the disk is full, frees some room, serves again. Prints what came of it as JSON. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StateError } from '../../state.ts'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

const folder = process.argv[2] ?? ''
const ballast = join(folder, 'ballast')
writeFileSync(ballast, Buffer.alloc(1536 * 1024))
const state = openSqliteState({ file: join(folder, 'contextmd.sqlite'), lockFile: join(folder, 'server.lock'), now: () => 1_000 })

function serveUntilRefused(): { readonly served: number; readonly code: string } {
  for (let served = 0; ; served++) {
    try {
      serve(state, `d-${served}`)
    } catch (thrown) {
      return { served, code: thrown instanceof StateError ? thrown.code : String(thrown) }
    }
  }
}

const { served, code } = serveUntilRefused()
rmSync(ballast)
const logged = state.log({ limit: 1_000_000 }).length
serve(state, 'after')
console.log(
  JSON.stringify({
    code,
    isAllLogged: served > 0 && logged === served,
    after: state.contextOf(state.log({ newest: true, limit: 1 })[0]!.delivery) !== null,
    problems: state.check(),
  }),
)
state.close()
