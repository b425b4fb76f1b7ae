/**
 * The holdout: threads in which entries that opted in are logged but not served, to measure their effect.
 *
 * Which threads is decided by a hash with a salt of this machine: the same thread always falls the same way, and nobody can aim at it.
 */
import { randomBytes } from 'node:crypto'
import type { ThreadId } from '../core/id.ts'
import type { State } from '../state.ts'
import { hashOf } from './hash.ts'

/** One thread in five: enough to compare with, few enough to do without the rule. */
const HELD_OUT_OF_256 = 51

const SALT = 'holdout-salt'

/** The salt of this state, made at the first call. */
export function holdoutSalt(state: State): string {
  const kept = state.setting(SALT)
  if (kept !== null) return kept
  const made = randomBytes(16).toString('hex')
  state.setSetting(SALT, made)
  return made
}

export function isHeldOut(thread: ThreadId, salt: string): boolean {
  return Number.parseInt(hashOf(`${salt} ${thread}`).slice(0, 2), 16) < HELD_OUT_OF_256
}
