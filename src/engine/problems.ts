/** Problems and counters of the running engine: what health shows. A problem stands until it is over, or for a while. */
import type { Millis } from '../core/id.ts'
import { LIFTS } from '../core/outcome.ts'
import type { Problem } from '../core/problem.ts'
import type { GateRow } from '../core/row.ts'

/** A problem that happened once is shown this long. */
const SHOWN_FOR_MS = 60 * 60 * 1_000
const UNPROVEN_CURE =
  'Look at "contextmd log" for that session: its records are off, in another place, or of a form that this version does not know.'
/** More different ones than a person can read. */
const MOST = 100

export class Problems {
  readonly #found = new Map<string, { readonly problem: Problem; readonly at: Millis }>()
  readonly #counters = new Map<string, number>()

  report(problem: Problem, at: Millis): void {
    const key = `${problem.code} ${problem.file ?? ''} ${problem.key ?? ''}`
    this.#found.delete(key)
    this.#found.set(key, { problem, at })
    const oldest = this.#found.keys().next().value
    if (this.#found.size > MOST && oldest !== undefined) this.#found.delete(oldest)
  }

  /** Gates that lifted without proof: a person should know (law 8). */
  lifted(gates: readonly GateRow[], at: Millis): void {
    for (const { entry, lift } of gates) {
      if (lift !== 'unproven' && lift !== 'assumed') continue
      this.count(`lifted_${lift}`)
      const message = `The gate of ${entry} lifted without proof: ${LIFTS[lift]}.`
      this.report({ code: `gate_${lift}`, severity: 'warning', message, cure: UNPROVEN_CURE, key: entry }, at)
    }
  }

  /** Two sources disagree about what the model was sent: the harness's own records count, and a person should know. */
  contradicted(harness: string, times: number, at: Millis): void {
    for (let time = 0; time < times; time += 1) this.count('host_contradicts_records')
    const message = `The host's record and the records of ${harness} disagree about what the model was sent. The records of ${harness} count.`
    const cure = `Look at "contextmd log" for candidates with "host_contradicts". If it comes often, report it with both versions.`
    this.report({ code: 'host_contradicts_records', severity: 'warning', message, cure }, at)
  }

  over(code: string): void {
    for (const [key, { problem }] of this.#found) if (problem.code === code) this.#found.delete(key)
  }

  count(counter: string, times = 1): void {
    this.#counters.set(counter, (this.#counters.get(counter) ?? 0) + times)
  }

  current(now: Millis): readonly Problem[] {
    return [...this.#found.values()].filter(({ at }) => now - at < SHOWN_FOR_MS).map(({ problem }) => problem)
  }

  get counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counters)
  }
}

/** Input that could not be analysed in full is an outcome, never a silent miss. `why` holds nothing of the event. */
export function notAnalysed(problems: Problems, harness: string, why: string, at: Millis): void {
  problems.count('not_analysed')
  problems.report(
    {
      code: 'not_analysed',
      severity: 'warning',
      message: `A moment of ${harness} could not be analysed in full: ${why}.`,
      cure: 'Rules that it should have met may not have been served. If it happens often, report it with the harness and its version.',
    },
    at,
  )
}
