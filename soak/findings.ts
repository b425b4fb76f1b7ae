/** What a part of the soak found: figures to print, and what does not hold. */
import { summary } from '../bench/statistics.ts'
import { idleLoopDelay } from './idle.ts'
import { HOOK_GIVES_UP_MS, type Served } from '../test/faults/served.fixture.ts'

export class Findings {
  readonly broken: string[] = []
  readonly #name: string
  readonly #from = performance.now()

  constructor(name: string) {
    this.#name = name
    console.log(`\n${name}`)
    void idleLoopDelay()
  }

  say(text: string): void {
    console.log(`  ${seconds(performance.now() - this.#from)}  ${text}`)
  }

  /** Something that must hold. */
  holds(isSo: boolean, what: string): void {
    if (isSo) return
    this.broken.push(`${this.#name}: ${what}`)
    this.say(`DOES NOT HOLD: ${what}`)
  }

  /** What the server itself says of its calls since a row of the log. Gives the 95th percentile in milliseconds. */
  async callsSince(served: Served, row: number): Promise<number> {
    // before the log is read, which is a lot of it at once
    const { counters } = await served.health()
    const rows = await served.log(row)
    const { count, p50, p95, max } = summary(rows.map(({ ms }) => ms.total))
    const blocked = counters['loop_delay_max_ms'] ?? 0
    const idle = await idleLoopDelay()
    this.say(`${count} calls in the server: p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(max)}`)
    this.say(`event loop held up ${blocked} ms at most, an idle one beside it ${idle} ms`)
    this.holds(max < HOOK_GIVES_UP_MS, `a call took ${ms(max)}: its hook has given up`)
    this.holds((counters['failures'] ?? 0) === 0, 'something failed inside that nobody foresaw')
    return p95
  }

  /** The server is stopped; its state must be consistent. */
  async consistent(served: Served): Promise<void> {
    this.holds((await served.stop()) === 0, 'the server did not end cleanly')
    const from = performance.now()
    const problems = served.check()
    this.say(`state looked through in ${seconds(performance.now() - from)}: ${problems.length} problems`)
    this.holds(problems.length === 0, problems.map(({ message }) => message).join(' '))
  }
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}

export function seconds(value: number): string {
  return `${(value / 1_000).toFixed(1)} s`
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
