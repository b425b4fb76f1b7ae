/**
 * What a person trusts of the stores that projects bring: hashes of entries they have seen, by project. Kept in `trust.json`.
 *
 * A cloned repository must not put words into the agent's ear: without a line here nothing of it is served.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { Problem } from '../core/problem.ts'
import { readFileOnce, stampOf } from './file.ts'

export interface TrustedProject {
  /** True: whatever the project's store holds is trusted, now and later. */
  readonly follow: boolean
  /** SHA-256 in base64 of an entry's file as it was seen, by its path below the store's folder. */
  readonly entries: ReadonlyMap<string, string>
}

/** By the project's root. */
export type Trust = ReadonlyMap<string, TrustedProject>

export type TrustRead =
  | { readonly state: 'read'; readonly trust: Trust }
  /** Then nothing is trusted. */
  | { readonly state: 'broken'; readonly problem: Problem }

/** Thrown by a change of a file that can't be read or written: then it is as it was. */
export class TrustError extends Error {
  override readonly name = 'TrustError'
  readonly code: 'broken' | 'unwritable'
  constructor(code: TrustError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const stored = z.object({
  version: z.literal(1),
  projects: z.record(z.string(), z.object({ follow: z.boolean(), entries: z.record(z.string(), z.string()) })),
})

/** A missing file trusts nothing. Never throws. */
export function readTrust(file: string): TrustRead {
  const found = readFileOnce(file)
  if (found.kind === 'gone') return { state: 'read', trust: new Map() }
  const parsed = found.kind === 'read' ? stored.safeParse(jsonOf(new TextDecoder().decode(found.bytes))) : null
  if (parsed === null || !parsed.success) return { state: 'broken', problem: broken(file) }
  const projects = Object.entries(parsed.data.projects)
  return {
    state: 'read',
    trust: new Map(projects.map(([root, { follow, entries }]) => [root, { follow, entries: new Map(Object.entries(entries)) }])),
  }
}

/** Reads the file again only when it changed. */
export function openTrust(file: string): () => TrustRead {
  let seen: string | null = null
  let last: TrustRead = { state: 'read', trust: new Map() }
  return () => {
    const stamp = JSON.stringify(stampOf(file))
    if (stamp !== seen) last = readTrust(file)
    seen = stamp
    return last
  }
}

/** Puts a whole new file in place of the old one, readable by its owner only. Throws a `TrustError`. */
export function changeTrust(file: string, change: (trust: Trust) => Trust): void {
  const before = readTrust(file)
  if (before.state === 'broken') throw new TrustError('broken', `${before.problem.message}: ${before.problem.cure}`)
  const projects = [...change(before.trust)].map(([root, { follow, entries }]) => [root, { follow, entries: Object.fromEntries(entries) }])
  const next = `${file}.${process.pid}.next`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    rmSync(next, { force: true })
    writeFileSync(next, `${JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    renameSync(next, file)
  } catch (cause) {
    rmSync(next, { force: true })
    throw new TrustError('unwritable', `${file} can't be written: give your user the right to write it and its folder`, { cause })
  }
}

function broken(file: string): Problem {
  return {
    code: 'trust_broken',
    severity: 'error',
    message: 'trust.json can not be understood; no entry of a project is served',
    cure: 'move it away and trust the projects again: contextmd trust DIR',
    file,
  }
}

/** Undefined, which fits no schema, if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
