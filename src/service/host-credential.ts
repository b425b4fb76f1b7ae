/** A pairing credential from the host's own program: `t3 auth pairing create --json`. */
import { spawn } from 'node:child_process'
import { z } from 'zod'
import { findProgram } from '../install/find-program.ts'
import { askHostAt } from './host-request.ts'
import type { InsideHost } from './inside-host.ts'

/** It loads the host's server and opens its database; on a busy machine that takes many seconds. */
const PROGRAM_MS = 60_000
/** It loads no server for that. Without an answer the version is not known, and not compared. */
const VERSION_MS = 20_000
/** Of what it prints: a credential, or why there is none. */
const MAX_OUTPUT_CHARS = 64 * 1024
const MAX_TOLD_CHARS = 2_000

const Created = z.object({ credential: z.string().regex(/^[\x21-\x7e]+$/) })
const Environment = z.object({ serverVersion: z.string() })

export interface HostProgram {
  /** Name or path; null: `t3` on the PATH. */
  readonly named: string | null
  readonly env: NodeJS.ProcessEnv
  /** False where the program takes this base folder by itself. */
  readonly needsBase: boolean
}

export type Credential =
  | { readonly state: 'given'; readonly credential: string }
  /** There is no such program on the PATH. */
  | { readonly state: 'missing'; readonly name: string }
  /** It is of another version than the host that runs, whose database it would bring to its own form. */
  | { readonly state: 'other-version'; readonly program: string; readonly version: string; readonly hostVersion: string }
  | { readonly state: 'failed'; readonly program: string; readonly why: string }

export async function createCredential(host: InsideHost, wish: HostProgram, limitMs = PROGRAM_MS): Promise<Credential> {
  const name = wish.named ?? 't3'
  const program = findProgram(name, wish.env['PATH'])
  if (program === null) return { state: 'missing', name }
  const version = versionIn((await ended(program, ['--version'], wish.env, Math.min(limitMs, VERSION_MS))).out)
  const hostVersion = await versionOfHost(host)
  if (version !== null && hostVersion !== null && version !== hostVersion) return { state: 'other-version', program, version, hostVersion }
  const args = ['auth', 'pairing', 'create', '--json', ...(wish.needsBase ? ['--base-dir', host.base] : [])]
  const { code, out, err } = await ended(program, args, wish.env, limitMs)
  if (code === null) return { state: 'failed', program, why: `it gave nothing in ${limitMs / 1_000} s${told(err)}` }
  if (code !== 0) return { state: 'failed', program, why: `exit code ${code}${told(err)}` }
  const created = Created.safeParse(jsonIn(out))
  if (created.success) return { state: 'given', credential: created.data.credential }
  return { state: 'failed', program, why: `it printed no credential${told(err)}` }
}

interface Ended {
  /** Null: it was not started, or took too long and was ended. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function ended(program: string, args: readonly string[], env: NodeJS.ProcessEnv, limitMs: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out = (out + text).slice(-MAX_OUTPUT_CHARS)))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-MAX_OUTPUT_CHARS)))
    const timer = setTimeout(() => finish(null), limitMs)
    child.once('error', (error) => {
      err += error.message
      finish(null)
    })
    child.once('close', (code) => finish(code))

    function finish(code: number | null): void {
      clearTimeout(timer)
      // what it started may hold its output open
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ code, out, err })
    }
  })
}

async function versionOfHost({ port }: InsideHost): Promise<string | null> {
  const answer = await askHostAt({ port, path: '/.well-known/t3/environment' })
  const environment = Environment.safeParse(answer?.body)
  return environment.success ? versionIn(environment.data.serverVersion) : null
}

function versionIn(text: string): string | null {
  return /\d+\.\d+\.\d+[\w.+-]*/.exec(text)?.[0] ?? null
}

/** The program may say something before its JSON. */
function jsonIn(text: string): unknown {
  const begin = text.indexOf('{')
  try {
    return JSON.parse(text.slice(Math.max(0, begin)))
  } catch {
    return null
  }
}

function told(err: string): string {
  const text = err.trim().slice(-MAX_TOLD_CHARS)
  return text === '' ? '' : `, and said:\n${text}`
}
