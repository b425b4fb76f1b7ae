/** Runs `checkFile` in a thread of its own: it reads the whole file, and no moment may wait for that. */
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { Problem } from '../../core/problem.ts'
import { checkFile } from './check-file.ts'

interface Task {
  readonly check: string
  readonly opened: string | null
}

/** `opened`: `State.identity` of the server's own, null while it has none open. Rejects if the thread broke. */
export function checkInThread(file: string, opened: string | null): Promise<readonly Problem[]> {
  return new Promise((resolve, reject) => {
    const task: Task = { check: file, opened }
    // this very module, as source or as built
    const worker = new Worker(new URL(import.meta.url), { workerData: task })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('The thread that checks the state ended without a word.')))
  })
}

// the other side
const task = workerData as Task | null // only checkInThread starts this module as a thread
if (!isMainThread && task !== null && typeof task === 'object' && 'check' in task) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage(checkFile(task.check, task.opened))
}
