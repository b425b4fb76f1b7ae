/** What failed inside, turned into problems that a person can read; the one place where that happens (law 17). */
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { StateError } from '../state.ts'
import type { Problems } from './problems.ts'
import { STATE_CODES, stateProblem } from './state-problem.ts'

/** A locked or broken state is not asked again for this long (law 17). */
const STATE_RESTS_MS = 1_000

/** A moment took longer than its deadline: nothing was decided, and the agent has gone on. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/** Not over with the next answer: what was there is gone, and a person should know. */
const LASTING: ReadonlySet<string> = new Set<StateError['code']>(['unreadable_row', 'replaced'])

const LATE: Problem = {
  code: 'moment_late',
  severity: 'warning',
  message: 'A moment was not answered in time, and the agent went on without rules: the machine was busy.',
  cure: 'If it happens often, look at what else runs there; "contextmd health" counts them as moments_late.',
}

export class Mishaps {
  readonly #problems: Problems
  readonly #now: () => Millis
  readonly #tell: (error: unknown) => void
  /** When the state failed; null: it answered since. */
  #stateFailedAt: Millis | null = null

  constructor(problems: Problems, now: () => Millis, tell: (error: unknown) => void = () => {}) {
    this.#problems = problems
    this.#now = now
    this.#tell = tell
  }

  failed(error: unknown): void {
    if (error instanceof StateError) this.stateFailed(error)
    else if (error instanceof LateError) {
      this.#problems.count('moments_late')
      this.#problems.report(LATE, this.#now())
    } else {
      this.#problems.count('failures')
      this.#problems.report(
        {
          code: 'moment_failed',
          severity: 'error',
          message: `A moment failed inside ContextMD (${error instanceof Error ? error.name : 'unknown error'}); the agent went on without rules.`,
          cure: "Look into the server's log for the stack, and report it.",
        },
        this.#now(),
      )
    }
    this.#tell(error)
  }

  stateFailed(error: StateError): void {
    // one row that can't be read stops its own session and no other
    if (error.code !== 'unreadable_row') this.#stateFailedAt = this.#now()
    this.#problems.count(`state_${error.code}`)
    this.#problems.report(stateProblem(error), this.#now())
  }

  /** True while the state is left alone after a failure. */
  get stateRests(): boolean {
    const since = this.#stateFailedAt
    // a clock that was set back says nothing of how long it has been
    return since !== null && this.#now() >= since && this.#now() - since < STATE_RESTS_MS
  }

  /** The state answered: what was wrong with it is over. */
  stateAnswered(): void {
    if (this.#stateFailedAt === null) return
    this.#stateFailedAt = null
    for (const code of STATE_CODES) if (!LASTING.has(code)) this.#problems.over(`state_${code}`)
  }
}
