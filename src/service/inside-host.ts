/** Finds hosts on this machine that have ContextMD inside: their own runtime file names them, and they show that it is ours. */
import { join } from 'node:path'
import { readRuntime } from '../host/t3code/runtime-file.ts'
import type { Paths } from '../paths.ts'
import { readKey } from '../proof.ts'
import { isAlive, isOurs, PATIENT_PROOF_MS } from './find.ts'

/** `dev`: a host that was started for work on itself. Its own program can't be told of it by a base folder. */
export const STATE_FOLDERS = ['userdata', 'dev'] as const

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
  /** It answers, or is silent, without the proof: ContextMD is not inside, or not of this person. */
  | { readonly state: 'unproven'; readonly port: number }

export async function lookAtHost(base: string, name: string, paths: Pick<Paths, 'key'>): Promise<LookedAtHost> {
  const stateDir = join(base, name)
  const runtime = readRuntime(stateDir)
  if (runtime === null || runtime.port === null) return { state: 'none' }
  const { pid, port } = runtime
  if (!isAlive(pid)) return { state: 'gone' }
  const key = readKey(paths.key)
  if (key === null || !(await isOurs(port, key, PATIENT_PROOF_MS))) return { state: 'unproven', port }
  return { state: 'inside', host: { base, stateDir, pid, port } }
}

/** All that are there, in the order of the base folders. */
export async function findInsideHosts(bases: readonly string[], paths: Pick<Paths, 'key'>): Promise<readonly InsideHost[]> {
  const found: InsideHost[] = []
  for (const base of bases) {
    for (const name of STATE_FOLDERS) {
      const looked = await lookAtHost(base, name, paths)
      if (looked.state === 'inside') found.push(looked.host)
    }
  }
  return found
}
