/**
 * The real ContextMD in processes of its own, exactly as a person runs it: `contextmd serve`, `contextmd setup`, and its log over HTTP.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { pathsFrom } from '../src/paths.ts'
import type { Place } from './place.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/contextmd.js', import.meta.url))
/** A start takes a second; on a machine that does much else, far longer. */
export const START_TIMEOUT_MS = 90_000
const COMMAND_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 10_000
/** Between two looks at something that comes by itself. */
const LOOK_EVERY_MS = 50
const MAX_OUTPUT_CHARS = 4_000
/** Rows prove seams, not speed: no wait for a record and no deadline of the server may run out because the machine is busy. */
const PATIENCE = '8'
let compiled: string | null = null

/** Environment of all that is ours, besides the row's: with our code as the first row has compiled it, since each starts it three or four times. */
export function ourEnv(): Readonly<Record<string, string>> {
  if (compiled === null) {
    const folder = mkdtempSync(join(tmpdir(), 'contextmd-canary-compiled-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    compiled = folder
  }
  return { NODE_COMPILE_CACHE: compiled, CONTEXTMD_TEST_PATIENCE: PATIENCE }
}

/** The part of a log row that the canary looks at (`LoggedMoment` of src/state.ts). */
const logSchema = z.object({
  moments: z.array(
    z.looseObject({
      number: z.number(),
      kind: z.string(),
      event: z.string(),
      outcome: z.string(),
      why: z.string().nullable(),
      seq: z.number(),
      epoch: z.number(),
      wave: z.number(),
      context: z.string(),
      session: z.string(),
      run: z.string().nullable(),
      candidates: z.array(
        z.looseObject({
          entry: z.string(),
          outcome: z.string(),
          claim: z.string().nullable(),
          bytes: z.number(),
          why: z.string().nullable(),
        }),
      ),
      gates: z.array(z.looseObject({ entry: z.string(), lift: z.string() })),
    }),
  ),
})
export type LogRow = z.infer<typeof logSchema>['moments'][number]

const healthSchema = z.looseObject({
  state: z.string(),
  problems: z.array(z.looseObject({ code: z.string(), message: z.string() })).optional(),
  counters: z.record(z.string(), z.number()).optional(),
})
const serverFileSchema = z.looseObject({ pid: z.number() })

export type HealthView = z.infer<typeof healthSchema>

export interface ContextMD {
  readonly port: number
  /** Process id of the server itself, for a row that makes it slow. */
  pid(): Promise<number>
  log(): Promise<readonly LogRow[]>
  health(): Promise<HealthView>
  /** What it printed, for a row that failed. */
  output(): string
  stop(): Promise<void>
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a TCP port has an address of this form.
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts the server and waits until it answers. */
export async function startContextMD(place: Place, port: number, env: Readonly<Record<string, string>> = {}): Promise<ContextMD> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', String(port)], {
    cwd: place.root,
    env: { ...place.env, ...ourEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const paths = pathsFrom({ ...place.env })
  let output = ''
  const keep = (chunk: Buffer): void => void (output = `${output}${chunk.toString('utf8')}`.slice(-MAX_OUTPUT_CHARS))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}/contextmd/v1`
  const isUp = async (): Promise<boolean> => (await fetch(`${url}/health`).catch(() => null))?.status === 200
  const up = await until(async () => child.exitCode !== null || (await isUp()), START_TIMEOUT_MS)
  if (!up || child.exitCode !== null) {
    child.kill('SIGKILL')
    throw new Error(`contextmd serve did not start: ${output.trim()}`)
  }
  return {
    ...readerOf(place, port),
    // The launcher may have started another process, on a newer Node.
    pid: async () => serverFileSchema.parse(JSON.parse(await readFile(paths.server, 'utf8'))).pid,
    output: () => output,
    stop: () => stop(child, ended),
  }
}

/** What a person reads of the server at this port. */
export function readerOf(place: Place, port: number): Pick<ContextMD, 'port' | 'log' | 'health'> {
  const { ownToken } = pathsFrom({ ...place.env })
  const get = async (path: string): Promise<unknown> => {
    const token = (await readFile(ownToken, 'utf8')).trim()
    const response = await fetch(`http://127.0.0.1:${port}/contextmd/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`GET ${path} was answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
  return {
    port,
    log: async () => logSchema.parse(await get('log?limit=1000')).moments,
    health: async () => healthSchema.parse(await get('health')),
  }
}

/** Runs one command of the command line. Throws with what it printed when it fails. */
export async function runContextMD(place: Place, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: place.project,
    env: { ...place.env, ...ourEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: COMMAND_TIMEOUT_MS,
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = Buffer.concat(chunks).toString('utf8')
  if (code !== 0) throw new Error(`contextmd ${args.join(' ')} ended with exit code ${code}: ${printed.trim()}`)
  return printed
}

/** Looks until it is so. False when it did not become so in time. */
export async function until(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > end) return false
    await sleep(LOOK_EVERY_MS)
  }
  return true
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
