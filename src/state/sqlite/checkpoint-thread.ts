/**
 * Moves what was committed into the main file, in a thread of its own: it waits for the disk, and no moment may wait for that.
 *
 * Passive: it waits for no writer and holds up none (sqlite.org/c3ref/wal_checkpoint_v2.html). What was committed meanwhile is moved in a
 * further pass, which has less to do: once nothing is left, SQLite begins the write-ahead file anew, and only then does that not grow. The
 * file is opened for each turn of work, and must be the very one that the server has open, with the same log: another one that stands there
 * by now would be damaged by the pages of the old one's log. SQLite opens the main file first, and the log by its name at the first question.
 * So it is looked before, between and after; what is open from then on is held by descriptors and not by names.
 */
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from 'node:sqlite'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { identityWithLog } from './file-identity.ts'

const TASK = 'checkpoint'
/** A few milliseconds each, after the first one. */
const MOST_PASSES = 8

export interface Checkpoints {
  /** Resolves when it is done, or could not be: true if nothing is left to be moved. `identity`: `State.identity` of the server's own. */
  run(identity: string | null): Promise<boolean>
  close(): Promise<void>
}

/** The thread is started at the first run. */
export function openCheckpoints(file: string): Checkpoints {
  let worker: Worker | null = null
  return {
    run(identity) {
      // this very module, as source or as built
      worker ??= new Worker(new URL(import.meta.url), { workerData: TASK })
      worker.unref()
      const running = worker
      return new Promise((resolve) => {
        const end = (isDone: unknown): void => {
          running.off('message', end)
          running.off('error', broke)
          running.off('exit', broke)
          resolve(isDone === true)
        }
        const broke = (): void => {
          if (worker === running) worker = null
          end(false)
        }
        running.on('message', end)
        running.on('error', broke)
        running.on('exit', broke)
        const task: Task = { file, identity }
        running.postMessage(task)
      })
    },
    async close() {
      await worker?.terminate()
      worker = null
    },
  }
}

interface Task {
  readonly file: string
  readonly identity: string | null
}

/** True if nothing is left to be moved. */
function checkpoint({ file, identity }: Task): boolean {
  if (identity === null || identityWithLog(file) !== identity) return false
  try {
    // one that was deleted is not made anew
    using database = new DatabaseSync(new URL(`${pathToFileURL(file).href}?mode=rw`), { timeout: 0 })
    if (identityWithLog(file) !== identity) return false
    database.exec('SELECT 1 FROM sqlite_schema LIMIT 1')
    if (identityWithLog(file) !== identity) return false
    const pass = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    for (let number = 1; number <= MOST_PASSES; number += 1) {
      const found = pass.get()
      if (found?.['busy'] !== 0) return false
      if (found['log'] === found['checkpointed']) return true
    }
    return false
  } catch {
    // what is wrong with the file is told by the moments that need it
    return false
  }
}

// the other side
if (!isMainThread && workerData === TASK) {
  parentPort?.on('message', (task: Task) => parentPort?.postMessage(checkpoint(task)))
}
