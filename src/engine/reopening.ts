/** Tries to open a state again that could not be used: once its file was changed, and now and then in any case. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StateError, type State } from '../state.ts'

/** How often it is looked whether the file, its folder or their rights have changed. */
const LOOK_EVERY_MS = 2_000
/** Looks between two tries in any case: what was in the way may have been something else. Opening a damaged file reads all of it. */
const LOOKS_A_TRY = 30
/** What passes without a change of the file. To find that it has not passed yet costs next to nothing: it is tried at each look. */
const PASSING: ReadonlySet<StateError['code']> = new Set(['locked', 'full', 'taken'])

export interface ReopeningOptions {
  readonly file: string
  /** Why it could not be used so far. */
  readonly because: StateError
  /** Throws why it can't be used. */
  readonly open: () => State
  readonly onOpened: (state: State) => void
  readonly onFailed: (error: unknown) => void
}

/** Ends by itself once the state is open. Returns the way to stop before. */
export function startReopening({ file, because, open, onOpened, onFailed }: ReopeningOptions): () => void {
  let seen = lookOf(file)
  let looks = 0
  let isPassing = PASSING.has(because.code)
  const timer = setInterval(() => {
    const now = lookOf(file)
    looks += 1
    if (now === seen && looks < LOOKS_A_TRY && !isPassing) return
    seen = now
    looks = 0
    try {
      onOpened(open())
      clearInterval(timer)
    } catch (error) {
      onFailed(error)
      isPassing = error instanceof StateError && PASSING.has(error.code)
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
