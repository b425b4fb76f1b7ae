/**
 * The token of a host with ContextMD inside: `host-token.json` in the data folder, for its owner only.
 *
 * Where the file is there, hooks post into that host, and it names the one of several hosts that they belong to. The token only reads
 * (`orchestration:read`), runs out after the host's own time and can't be renewed in place: `contextmd setup` gets another one.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const HostToken = z.object({
  /** The host's base folder, as its own program takes it. */
  base: z.string().min(1),
  /** The host's state folder. */
  stateDir: z.string().min(1),
  port: z.number().int().positive(),
  token: z.string().regex(/^\S+$/),
  issuedAt: z.number(),
  expiresAt: z.number(),
  /** The host's name for it, by which it is revoked; null where the token does not tell. */
  session: z.string().nullable(),
  /** Hooks started a server beside before: they do again when the person leaves the host. */
  hooksStarted: z.boolean(),
})
export type HostToken = Readonly<z.infer<typeof HostToken>>

export function hostTokenFileIn(dataFolder: string): string {
  return join(dataFolder, 'host-token.json')
}

/** Null where hooks post to a server beside. */
export function readHostToken(dataFolder: string): HostToken | null {
  try {
    return HostToken.parse(JSON.parse(readFileSync(hostTokenFileIn(dataFolder), 'utf8')))
  } catch {
    return null
  }
}

/** Whole at every instant. Throws what the file system throws. */
export function keepHostToken(dataFolder: string, token: HostToken): void {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const file = hostTokenFileIn(dataFolder)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(token, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** What was kept; null if there was nothing. */
export function forgetHostToken(dataFolder: string): HostToken | null {
  const kept = readHostToken(dataFolder)
  rmSync(hostTokenFileIn(dataFolder), { force: true })
  return kept
}
