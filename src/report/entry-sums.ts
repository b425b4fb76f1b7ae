/** Adds up what the log says about one entry. */
import type { EntryId } from '../core/id.ts'
import type { Lift, Outcome } from '../core/outcome.ts'
import type { CandidateTally, GateTally, ObedienceTally } from '../state/tally.ts'
import type { Conduct, EntryReport, Verdicts } from './report.ts'

/** Calls that were held. */
const HELD: ReadonlySet<Outcome> = new Set(['held', 'held_beside', 'held_waiting'])
/** The trigger matched, and the entry had something to say that it could not. */
const LEFT_OUT: ReadonlySet<Outcome> = new Set(['over_budget', 'let_through', 'no_seam', 'carry_dropped'])

type Counts<T> = { -readonly [K in keyof T]: T[K] }

export class EntrySums {
  readonly #entry: EntryId
  readonly #verdicts: Counts<Verdicts> = { shown: 0, hidden: 0, cut: 0, unverified: 0, open: 0, released: 0 }
  readonly #lifted: Partial<Record<Lift, number>> = {}
  readonly #conduct = { served: noConduct(), withheld: noConduct() }
  readonly #runs = new Set<string>()
  #fired = 0
  #held = 0
  #forbidden = 0
  #leftOut = 0
  #withheld = 0
  #bytes = 0

  constructor(entry: EntryId) {
    this.#entry = entry
  }

  /** True if text went out with them. */
  addCandidates({ outcome, verdict, count, bytes, run }: CandidateTally): boolean {
    this.#fired += count
    if (HELD.has(outcome)) this.#held += count
    if (outcome === 'forbidden') this.#forbidden += count
    if (LEFT_OUT.has(outcome)) this.#leftOut += count
    if (outcome === 'withheld') this.#withheld += count
    // a stub beside another call's text is a claim too, with nothing to prove
    if (bytes === 0) return false
    const kept = keptAs(verdict)
    this.#verdicts[kept] += count
    if (kept === 'released') return false
    if (kept !== 'hidden') this.#bytes += bytes
    if (run !== null) this.#runs.add(run)
    return true
  }

  addLift({ lift, count }: GateTally): void {
    if (lift !== 'armed') this.#lifted[lift] = (this.#lifted[lift] ?? 0) + count
  }

  addConduct({ verdict, withheld, count }: ObedienceTally): void {
    const conduct = withheld ? this.#conduct.withheld : this.#conduct.served
    conduct[verdict === 'no_occasion' ? 'noOccasion' : verdict] += count
  }

  report(): EntryReport {
    const { shown, hidden, cut, unverified, open } = this.#verdicts
    const judged = shown + hidden + cut + unverified
    return {
      entry: this.#entry,
      fired: this.#fired,
      served: judged + open,
      verdicts: this.#verdicts,
      shownShare: judged === 0 ? null : shown / judged,
      held: this.#held,
      forbidden: this.#forbidden,
      lifted: this.#lifted,
      leftOut: this.#leftOut,
      withheld: this.#withheld,
      bytes: this.#bytes,
      runs: this.#runs.size,
      bytesPerRun: this.#runs.size === 0 ? null : Math.round(this.#bytes / this.#runs.size),
      conduct: this.#conduct,
    }
  }
}

function keptAs(verdict: CandidateTally['verdict']): keyof Verdicts {
  switch (verdict) {
    case null:
      return 'open'
    case 'dropped':
    case 'delivery_unverified':
      return 'released'
    default:
      return verdict
  }
}

function noConduct(): Counts<Conduct> {
  return { obeyed: 0, violated: 0, noOccasion: 0 }
}
