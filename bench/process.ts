/** Server processes of the benchmark: started, waited for, ended by their own id. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export interface ServerProcess {
  readonly pid: number
  readonly port: number
  /** From the start of the process to the line that names its port. */
  readonly startedMs: number
  close(): Promise<void>
}

/** Loading 100,000 entries on a busy machine takes this long and less. */
const START_TIMEOUT_MS = 120_000

/** Starts `node ARGS`. The port is the first one that its output names. Throws with what it said where it ends before. */
export async function startServerProcess(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const from = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const port = await portOf(child)
  const exited = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    port,
    startedMs: performance.now() - from,
    async close() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`A server did not start: ${said}`))
    }, START_TIMEOUT_MS)
    const onText = (text: string): void => {
      said += text
      const port = /(?:127\.0\.0\.1:|listening on )(\d+)/.exec(said)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(Number(port))
    }
    child.stdout?.setEncoding('utf8').on('data', onText)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.once('exit', () => {
      clearTimeout(timer)
      reject(new Error(`A server ended at its start: ${said}`))
    })
  })
}
