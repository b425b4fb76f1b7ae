/** How long an idle loop beside the server was held up by the machine alone: what the server's own figure is to be read against. */
import { Worker } from 'node:worker_threads'

const IDLER = `
const { parentPort } = require('node:worker_threads')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
parentPort.on('message', () => {
  parentPort.postMessage(Math.max(0, Math.ceil(delays.max / 1e6 - 10)))
  delays.reset()
})
`

let worker: Worker | null = null

/** Whole milliseconds at most since the last question. */
export function idleLoopDelay(): Promise<number> {
  worker ??= new Worker(IDLER, { eval: true })
  worker.unref()
  const idler = worker
  return new Promise((resolve) => {
    idler.once('message', resolve)
    idler.postMessage('how long')
  })
}
