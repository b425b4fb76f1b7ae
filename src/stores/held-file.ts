/**
 * One file of a store as it was last read: what it gives now, and its last good form while a save may be half done.
 *
 * Pure: the time comes in, nothing is read here.
 */
import type { Entry } from '../core/entry.ts'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { Stamp } from './file.ts'
import type { ParsedEntry } from './parse-entry.ts'

/** Editors save in steps: truncate, write, rename. For this long a file that broke keeps its last good form. */
export const HALF_SAVED_MS = 500

export interface Reading {
  readonly stamp: Stamp | null
  /** SHA-256 of the bytes that were parsed; null if none were. */
  readonly digest: string | null
  readonly parsed: ParsedEntry
  /** The file is gone, and something beside it says that it is being saved. */
  readonly isGone: boolean
}

export interface HeldFile extends Reading {
  readonly lastGood: { readonly entry: Entry; readonly brokenAt: Millis } | null
}

/** Takes a newer reading in. `before` is null for a file that was not known. */
export function heldAfter(before: HeldFile | null, reading: Reading, now: Millis): HeldFile {
  const isBroken = reading.isGone || reading.parsed.problems.some((problem) => problem.severity === 'error')
  if (!isBroken || before === null) return { ...reading, lastGood: null }
  if (before.lastGood !== null) return { ...reading, lastGood: before.lastGood }
  const entry = before.parsed.entry
  return { ...reading, lastGood: entry === null ? null : { entry, brokenAt: now } }
}

export function isHalfSaved(file: HeldFile, now: Millis): boolean {
  return file.lastGood !== null && Math.abs(now - file.lastGood.brokenAt) < HALF_SAVED_MS
}

export function entryOf(file: HeldFile, now: Millis): Entry | null {
  return isHalfSaved(file, now) ? (file.lastGood?.entry ?? null) : file.parsed.entry
}

/** A save that is half done is no mistake yet. */
export function problemsOf(file: HeldFile, now: Millis): readonly Problem[] {
  return isHalfSaved(file, now) ? [] : file.parsed.problems
}
