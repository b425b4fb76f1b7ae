/** A pairing credential from the host's own program: `t3 auth pairing create --json`. */
import { z } from 'zod'
import { findProgram } from '../install/find-program.ts'
import { objectIn, runHostProgram, shown } from './host-program.ts'
import { askHostAt } from './host-request.ts'
import type { InsideHost } from './inside-host.ts'

/** It loads the host's server and opens its database; on a busy machine that takes many seconds. */
const PROGRAM_MS = 60_000
/** It loads no server for that. Without an answer the version is not known, and not compared. */
const VERSION_MS = 20_000
/** What is longer is none. */
const MAX_CREDENTIAL = 4_096

const Word = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .max(MAX_CREDENTIAL)
const Created = z.object({ credential: Word })
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
  const { env } = wish
  const { found: version } = await runHostProgram({ program, args: ['--version'], env }, versionIn, Math.min(limitMs, VERSION_MS))
  const hostVersion = await versionOfHost(host)
  if (version !== null && hostVersion !== null && version !== hostVersion) return { state: 'other-version', program, version, hostVersion }
  const args = ['auth', 'pairing', 'create', '--json', ...(wish.needsBase ? ['--base-dir', host.base] : [])]
  const { code, found, err } = await runHostProgram({ program, args, env }, credentialIn, limitMs)
  if (code !== null && code !== 0) return { state: 'failed', program, why: `exit code ${code}${told(err)}` }
  if (found !== null) return { state: 'given', credential: found }
  const why = code === null ? `it gave nothing in ${limitMs / 1_000} s` : 'it printed no credential'
  return { state: 'failed', program, why: `${why}${told(err)}` }
}

/** Of what the program prints as JSON, whatever stands around it. Null: there is none. */
export function credentialIn(text: string): string | null {
  return text.includes('}') ? objectIn(text, (value) => Created.safeParse(value).data?.credential ?? null) : null
}

export function isCredential(text: string): boolean {
  return Word.safeParse(text).success
}

async function versionOfHost({ port }: InsideHost): Promise<string | null> {
  const answer = await askHostAt({ port, path: '/.well-known/t3/environment' })
  const environment = Environment.safeParse(answer?.body)
  return environment.success ? versionIn(`${environment.data.serverVersion}\n`) : null
}

/** So much of a text is looked through for a version: it stands at its beginning. */
const MAX_VERSION_TEXT = 4_096
/** Each part bounded: what is printed without end must not cost more than its length. */
const VERSION = /(?<![\d.])\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]{0,64}(?=\s)/

/** A whole word of it: the end of a piece may cut one in two. */
export function versionIn(text: string): string | null {
  return VERSION.exec(text.slice(0, MAX_VERSION_TEXT))?.[0] ?? null
}

function told(err: string): string {
  const text = shown(err)
  return text === '' ? '' : `, and said:\n${text}`
}
