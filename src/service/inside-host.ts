/** Finds hosts on this machine that have ContextMD inside: their own runtime file names them, and they show that it is ours. */
import { join } from 'node:path'
import { z } from 'zod'
import { onceEach } from '../host/t3code/discover.ts'
import { readRuntime } from '../host/t3code/runtime-file.ts'
import type { Paths } from '../paths.ts'
import { readKey } from '../proof.ts'
import { isOurs, PATIENT_PROOF_MS } from './find.ts'
import { isAlive } from '../server/server-file.ts'
import { askHostAt } from './host-request.ts'

/** `dev`: a host that was started for work on itself. Its own program can't be told of it by a base folder. */
const STATE_FOLDERS = ['userdata', 'dev'] as const

/** It was given seconds for its proof already. */
const WORD_MS = 2_000

/** What ContextMD tells without a token. */
const Health = z.object({ state: z.enum(['serving', 'off', 'disabled']) })

export interface InsideHost {
  readonly base: string
  readonly stateDir: string
  readonly pid: number
  readonly port: number
}

export type LookedAtHost =
  | { readonly state: 'inside'; readonly host: InsideHost }
  /** No runtime file, or none that tells a port. */
  | { readonly state: 'none' }
  /** The process that the file names is gone. */
  | { readonly state: 'gone' }
  /** ContextMD is inside, and could not be opened: it serves nothing, and proves nothing. */
  | { readonly state: 'disabled'; readonly port: number }
  /** ContextMD is inside, with another key: it is of another person, or the host has another data folder. */
  | { readonly state: 'foreign'; readonly port: number }
  /** It answers otherwise, or is silent: ContextMD is not inside. */
  | { readonly state: 'unproven'; readonly port: number }

async function lookAtHost({ base, stateDir }: Pick<InsideHost, 'base' | 'stateDir'>, paths: Pick<Paths, 'key'>): Promise<LookedAtHost> {
  const runtime = readRuntime(stateDir)
  if (runtime === null || runtime.port === null) return { state: 'none' }
  const { pid, port } = runtime
  if (!isAlive(pid)) return { state: 'gone' }
  const key = readKey(paths.key)
  if (key !== null && (await isOurs(port, key, PATIENT_PROOF_MS))) return { state: 'inside', host: { base, stateDir, pid, port } }
  return { state: await whyUnproven(port), port }
}

async function whyUnproven(port: number): Promise<'disabled' | 'foreign' | 'unproven'> {
  const word = await wordOf(port)
  if (word === null) return 'unproven'
  return word === 'disabled' ? 'disabled' : 'foreign'
}

/** Whether the ContextMD at this port serves, which is told to everyone who asks for health. Null: there is none, or it is silent. */
export async function wordOf(port: number): Promise<z.infer<typeof Health>['state'] | null> {
  const answer = await askHostAt({ port, path: '/contextmd/v1/health' }, WORD_MS)
  const health = Health.safeParse(answer?.body)
  return answer?.status === 200 && health.success ? health.data.state : null
}

/** What stands in these base folders, in their order; a folder that two paths lead to counts once. */
export async function lookAtHosts(bases: readonly string[], paths: Pick<Paths, 'key'>): Promise<readonly LookedAtHost[]> {
  const places = bases.flatMap((base) => STATE_FOLDERS.map((name) => ({ base, stateDir: join(base, name) })))
  const once = new Set(onceEach(places.map(({ stateDir }) => stateDir)))
  const looked: LookedAtHost[] = []
  for (const place of places) if (once.delete(place.stateDir)) looked.push(await lookAtHost(place, paths))
  return looked
}

export function insideOf(looked: readonly LookedAtHost[]): readonly InsideHost[] {
  return looked.flatMap((one) => (one.state === 'inside' ? [one.host] : []))
}
