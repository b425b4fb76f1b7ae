/**
 * Takes the oldest steps out of the backlog and puts them into their tables, a slice at a time. Of the backlog exactly the rows go that were
 * put away: any other is not known here, and somebody's who has committed it.
 */
import type { ClaimRow } from '../../core/row.ts'
import { StateError } from '../../state.ts'
import type { WaitingBatch } from './backlog.ts'
import type { StoredStep } from './batch.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { putAway, type PutAway } from './put-away.ts'

/** Steps that are put away in one go: some 3 ms. */
const SLICE_STEPS = 32

/** `count` is told of each step of this process that stands in its tables now. */
export function openPuttingAway(database: Database, count: (step: StoredStep, judged: readonly ClaimRow[]) => void) {
  /** In one transaction; the backlog knows of it once that is committed. */
  function put(open: Connection, batches: readonly WaitingBatch[], work: (open: Connection) => readonly PutAway[]): void {
    if (batches.length === 0) return
    const done = database.writeApart((now) => {
      const found = work(now)
      for (const { number } of batches) now.statements.dropFromBacklog.run(number)
      return found
    })
    open.backlog.wasPutAway(batches)
    const old = new Set(batches.flatMap(({ isOld, batch }) => (isOld ? batch.steps : [])))
    for (const { step, judged } of done) if (!old.has(step)) count(step, judged)
  }

  return {
    /** True if there is more to do. */
    slice(): boolean {
      database.commitGathered()
      database.look()
      const open = database.read((connection) => connection)
      if (open.backlog.isEmpty) return false
      const batches = open.backlog.oldest(SLICE_STEPS)
      try {
        put(open, batches, ({ statements }) =>
          putAway(
            statements,
            batches.map(({ batch }) => batch),
          ),
        )
      } catch (thrown) {
        if (!isOfRows(thrown)) throw thrown
        putOneByOne(open, batches)
      }
      return !open.backlog.isEmpty
    },
  }

  /** What no table takes must not stand in the way of all others for ever: it goes, and the failure is told. */
  function putOneByOne(open: Connection, batches: readonly WaitingBatch[]): void {
    let failure: unknown = null
    for (const each of batches) {
      try {
        put(open, [each], ({ statements }) => putAway(statements, [each.batch]))
      } catch (thrown) {
        if (!isOfRows(thrown)) throw thrown
        failure ??= thrown
        put(open, [each], () => [])
      }
    }
    if (failure !== null) throw failure
  }
}

/** False for what is wrong with the file or its disk: that may pass, and the rows wait for it. */
function isOfRows(thrown: unknown): boolean {
  return !(thrown instanceof StateError) || thrown.code === 'failed'
}
