/** Tries to open a state again that could not be used: once its file was changed, and now and then in any case. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { State } from '../state.ts'

/** How often it is looked whether the file, its folder or their rights have changed. */
const LOOK_EVERY_MS = 2_000
/** Looks between two tries in any case: what was in the way may have been something else. Opening a damaged file reads all of it. */
const LOOKS_A_TRY = 30

export interface ReopeningOptions {
  readonly file: string
  /** Throws why it can't be used. */
  readonly open: () => State
  readonly onOpened: (state: State) => void
  readonly onFailed: (error: unknown) => void
}

/** Ends by itself once the state is open. Returns the way to stop before. */
export function startReopening({ file, open, onOpened, onFailed }: ReopeningOptions): () => void {
  let seen = lookOf(file)
  let looks = 0
  const timer = setInterval(() => {
    const now = lookOf(file)
    looks += 1
    if (now === seen && looks < LOOKS_A_TRY) return
    seen = now
    looks = 0
    try {
      onOpened(open())
      clearInterval(timer)
    } catch (error) {
      onFailed(error)
      // trying may have touched it
      seen = lookOf(file)
    }
  }, LOOK_EVERY_MS).unref()
  return () => clearInterval(timer)
}

function lookOf(file: string): string {
  return [file, dirname(file)].map(stampOf).join(' ')
}

function stampOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found === undefined ? 'missing' : `${found.dev}:${found.ino}:${found.size}:${found.ctimeMs}`
  } catch {
    return 'hidden'
  }
}
