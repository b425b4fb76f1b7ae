/** What matching alone costs: our index, a plain loop over the same entries, and how others match commands. */
import type { Entry } from '../src/core/entry.ts'
import { compile } from '../src/match/compile.ts'
import { compileEntries, isInForce } from '../src/match/compiled.ts'
import { holds, type CompiledItem } from '../src/match/item.ts'
import type { Subject } from '../src/match/match.ts'
import { View } from '../src/match/view.ts'
import { hookifyStyle } from './hookify-style.ts'
import type { Effort } from './options.ts'
import { openSafetyNet } from './safety-net.ts'
import { quantile, summary, type Summary } from './statistics.ts'
import { entriesOf, inputs, type Input } from './subjects.ts'
import { count, table, times } from './table.ts'

export interface MatchingResult {
  readonly cases: readonly {
    readonly input: string
    readonly way: string
    /** Null for a tool with rules of its own. */
    readonly entries: number | null
    readonly ms: Summary
    /** How many times the index's time for the same entries and input. */
    readonly toIndex: number
  }[]
  /** Milliseconds to compile the index, by number of entries. */
  readonly compile: readonly { readonly entries: number; readonly ms: number }[]
  /** Why a tool is missing. */
  readonly leftOut: readonly string[]
}

type Case = MatchingResult['cases'][number]

/** Above this the loops that look at every entry say nothing new, and take minutes. */
const MOST_ENTRIES = 10_000
/** Ways take turns this often. The first turn warms up. */
const SLICES = 4

export async function measureMatching({ entries: sizes, matchMs }: Effort, others: boolean): Promise<MatchingResult> {
  const net = others ? await openSafetyNet() : ({ ok: false, why: 'cc-safety-net is left out: --offline' } as const)
  const cases: Case[] = []
  const compiled: { entries: number; ms: number }[] = []
  const known = inputs()
  try {
    for (const size of sizes.filter((each) => each <= MOST_ENTRIES)) {
      const entries = entriesOf(size)
      const from = performance.now()
      const matcher = compile(entries)
      compiled.push({ entries: entries.length, ms: performance.now() - from })
      const loop = plainLoop(entries)
      const hookify = hookifyStyle(entries)
      for (const input of known) {
        const ways: [name: string, run: (turn: number) => unknown][] = [
          ['index', (turn) => matcher.match(subjectAt(input, turn))],
          ['plain loop', (turn) => loop(subjectAt(input, turn))],
        ]
        const { commands } = input
        if (commands !== null) {
          ways.push(['one regex a file, as hookify', (turn) => hookify.match(commands[turn % commands.length] ?? '')])
          if (net.ok && size === MOST_ENTRIES)
            ways.push([`${net.name}, its own rules`, (turn) => net.check(commands[turn % commands.length] ?? '')])
        }
        cases.push(...measured(input, entries.length, ways, matchMs))
      }
      hookify.close()
    }
  } finally {
    if (net.ok) net.close()
  }
  return { cases, compile: compiled, leftOut: net.ok ? [] : [net.why] }
}

function subjectAt({ subjects }: Input, turn: number): Subject {
  const subject = subjects[turn % subjects.length]
  if (subject === undefined) throw new RangeError('there is no moment to match')
  return subject
}

/** What the index has to equal: every item of every entry is tried. */
function plainLoop(entries: readonly Entry[]): (subject: Subject) => number {
  const compiled = compileEntries(entries, {})
  return (subject) => {
    const view = new View(subject)
    const { phases } = view
    const holdsNow = (item: CompiledItem): boolean => item.phase !== null && phases.includes(item.phase) && holds(item, view)
    return compiled.filter((one) => isInForce(one, view) && one.items.some(holdsNow)).length
  }
}

/** The ways take turns, a slice each, so that a busy moment of the machine hits all of them. */
function measured(
  { name }: Input,
  entries: number,
  ways: readonly (readonly [name: string, run: (turn: number) => unknown])[],
  matchMs: number,
): readonly Case[] {
  const taken = ways.map(() => new Array<number>())
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const [index, [, run]] of ways.entries()) {
      const end = performance.now() + matchMs / SLICES
      let calls = 0
      do {
        const from = performance.now()
        run(slice * 1_000 + calls)
        const took = performance.now() - from
        if (slice > 0) taken[index]?.push(took)
        calls += 1
      } while (performance.now() < end)
    }
  }
  const index = quantile(taken[0] ?? [], 0.5)
  return ways.map(([way], number) => {
    const own = summary(taken[number] ?? [])
    return { input: name, way, entries: way.endsWith('own rules') ? null : entries, ms: own, toIndex: own.p50 / index }
  })
}

export function matchingText({ cases, compile: compiled, leftOut }: MatchingResult): string {
  const rows = cases.map(({ input, way, entries, ms, toIndex }) => [
    `${input}: ${way}`,
    entries === null ? '–' : count(entries),
    (ms.p50 * 1_000).toFixed(0),
    (ms.p95 * 1_000).toFixed(0),
    times(toIndex),
  ])
  return [
    table(['matching alone (µs)', 'entries', 'p50', 'p95', 'to index'], rows),
    '',
    ...compiled.map(({ entries, ms }) => `  compiling ${count(entries)} entries took ${ms.toFixed(0)} ms`),
    ...leftOut.map((why) => `  ${why}`),
  ].join('\n')
}
