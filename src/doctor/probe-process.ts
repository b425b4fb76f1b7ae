/** Runs a process as a harness runs a hook: the event on stdin, a limit, its whole process group ended when the limit is over. */
import { spawn } from 'node:child_process'

export interface ProcessCall {
  readonly program: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly folder: string
  readonly input: string
  readonly limitMs: number
}

export type Ended =
  | { readonly state: 'ended'; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string; readonly ms: number }
  | { readonly state: 'late' }
  | { readonly state: 'unstartable'; readonly why: string }

export function runProcess({ program, args, env, folder, input, limitMs }: ProcessCall): Promise<Ended> {
  const from = performance.now()
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    let stdout = ''
    let stderr = ''
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      endGroup(child.pid)
    }, limitMs)
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
    // it may end without reading
    child.stdin.on('error', () => {})
    child.on('error', (error) => {
      clearTimeout(timer)
      resolve({ state: 'unstartable', why: error.message })
    })
    child.on('close', (exitCode) => {
      clearTimeout(timer)
      resolve(isLate ? { state: 'late' } : { state: 'ended', exitCode, stdout, stderr, ms: performance.now() - from })
    })
    child.stdin.end(input)
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it ended at this very moment
  }
}
