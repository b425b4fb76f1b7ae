/** An empty home of its own, the real command line in processes of its own, and what it started ended when the test is over. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { pathsFrom, type Paths } from '../paths.ts'
import { isAlive, readServerFile } from '../server/server-file.ts'
import { ownProgram } from './program.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Home {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly paths: Paths
  /** `contextmd …` as a process, to its end. */
  contextmd(argv: readonly string[], more?: Ran): Promise<Ended>
  /** Any program. */
  run(argv: readonly string[], more?: Ran): Promise<Ended>
}

export interface Ran {
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
  readonly cwd?: string
}

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd home '))
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '' }
  const paths = pathsFrom(env)
  onTestFinished(async () => {
    await endServer(paths)
    await endProcessesOf(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const run: Home['run'] = ([program = '', ...args], more = {}) =>
    ended(program, args, { cwd: folder, ...more, env: { ...env, ...more.env } })
  const { node, launcher } = ownProgram()
  return { folder, env, paths, run, contextmd: (argv, more) => run([node, launcher, ...argv], more) }
}

function ended(program: string, args: readonly string[], { env, cwd, input }: Ran): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, out, err }))
    // it may end without reading its input
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}

/** Ends the server of a data folder, if one runs, and waits for its end. */
export async function endServer(paths: Paths): Promise<void> {
  const pid = readServerFile(paths.server)?.pid
  if (pid === undefined || pid === process.pid || !isAlive(pid)) return
  process.kill(pid, 'SIGTERM')
  // its process may stay in the list of processes for ever where nobody asks for its end, as in some containers
  await until(() => readServerFile(paths.server)?.pid !== pid || !isAlive(pid))
}

/** Ends what was started with this home and has not written its server file yet. Linux tells the environment of a process; elsewhere it is left. */
async function endProcessesOf(home: string): Promise<void> {
  const ids = existsSync('/proc/self/environ') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const pid of ids.filter((name) => homeOf(name) === home).map(Number)) {
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      // it has ended by itself meanwhile
    }
    await until(() => homeOf(String(pid)) !== home)
  }
}

/** Empty for a process that has ended, or is another user's. */
function homeOf(pid: string): string {
  try {
    const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return environ.find((variable) => variable.startsWith('HOME='))?.slice('HOME='.length) ?? ''
  } catch {
    return ''
  }
}

/** Between two looks at what another process does. */
const LOOK_EVERY_MS = 20

/** Resolves when it is so; the test's own limit bounds it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(LOOK_EVERY_MS)
}
