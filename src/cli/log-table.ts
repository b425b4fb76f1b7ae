/** Rows of the log as lines for a person: one line a moment, below it one a candidate and one a gate. */
import { styleText } from 'node:util'
import type { Millis } from '../core/id.ts'
import { LIFTS, type MomentOutcome, type Outcome } from '../core/outcome.ts'
import type { LogRow } from './log-row.ts'

type Style = 'green' | 'yellow' | 'red' | 'cyan' | 'dim'

export interface TableLook {
  readonly colours: boolean
  /** Rows of another day than this carry their date. */
  readonly now: Millis
}

const WIDTH = { time: 8, harness: 11, what: 26, outcome: 12 } as const
const INDENT = ' '.repeat(WIDTH.time + 2)

const STYLES: Readonly<Record<string, Style>> = {
  served: 'cyan',
  pointed: 'cyan',
  denied: 'yellow',
  held: 'yellow',
  held_beside: 'yellow',
  held_waiting: 'yellow',
  forbidden: 'red',
  shown: 'green',
  hidden: 'red',
  cut: 'red',
  unverified: 'yellow',
  dropped: 'red',
  delivery_unverified: 'red',
  over_budget: 'red',
  let_through: 'red',
  not_analysed: 'red',
  failed: 'red',
} satisfies Partial<Record<Outcome | MomentOutcome, Style>>

export function tableHead(look: TableLook): string {
  const head = `${pad('time', WIDTH.time)}  ${pad('harness', WIDTH.harness)}  ${pad('moment', WIDTH.what)}  ${pad('outcome', WIDTH.outcome)}`
  return `${paint(`${head}  ${'bytes'.padStart(8)}  ${'ms'.padStart(5)}`, 'dim', look)}\n`
}

export function momentLines(row: LogRow, look: TableLook): string {
  const style = STYLES[row.outcome] ?? 'dim'
  const outcome = paint(pad(row.outcome, WIDTH.outcome), style, look)
  const figures = `${String(row.bytes).padStart(6)} B  ${row.ms.total.toFixed(1).padStart(5)}`
  const why = row.why === null ? '' : `  ${paint(row.why, 'dim', look)}`
  const head = `${timeOf(row.at, look.now)}  ${pad(row.harness, WIDTH.harness)}  ${pad(nameOf(row), WIDTH.what)}  ${outcome}  ${figures}${why}\n`
  return head + candidateLines(row.candidates, look) + gateLines(row.gates, look)
}

/** The candidates whose outcome changed since the row was last seen, with the moment that they belong to; empty if none did. */
export function verdictLines(before: LogRow | undefined, after: LogRow, look: TableLook): string {
  const changed = after.candidates.filter((candidate) => {
    const known = before?.candidates.find((other) => other.entry === candidate.entry)
    return known?.outcome !== candidate.outcome
  })
  const gates = after.gates.slice(before?.gates.length ?? 0)
  if (changed.length === 0 && gates.length === 0) return ''
  const head = paint(`${timeOf(after.at, look.now)}  ${pad(after.harness, WIDTH.harness)}  ${nameOf(after)}: verdict`, 'dim', look)
  return `${head}\n${candidateLines(changed, look)}${gateLines(gates, look)}`
}

function candidateLines(candidates: LogRow['candidates'], look: TableLook): string {
  return candidates
    .map(({ entry, atMoment, outcome, bytes, why }) => {
      const size = bytes === 0 ? '' : `  ${bytes} B`
      const reason = why === null ? '' : `  ${why}`
      const first = atMoment === outcome ? '' : `${paint(atMoment, 'dim', look)} → `
      const known = `${first}${paint(outcome, STYLES[outcome] ?? 'dim', look)}`
      return `${INDENT}${entry}  ${known}${paint(`${size}${reason}`, 'dim', look)}\n`
    })
    .join('')
}

function gateLines(gates: LogRow['gates'], look: TableLook): string {
  return gates
    .map(({ entry, lift }) => {
      if (lift === 'armed') return `${INDENT}${entry}  gate ${paint('armed', 'yellow', look)}\n`
      const reason = Object.hasOwn(LIFTS, lift) ? LIFTS[lift as keyof typeof LIFTS] : lift // checked right here
      return `${INDENT}${entry}  gate ${paint('lifted', 'green', look)}${paint(`: ${reason}`, 'dim', look)}\n`
    })
    .join('')
}

function nameOf(row: LogRow): string {
  return row.tool === null ? row.event : `${row.event} ${row.tool}`
}

/** In the person's own time zone. */
function timeOf(at: Millis, now: Millis): string {
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  if (date.toDateString() === new Date(now).toDateString()) return time
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`
}

/** Too long a text is cut with a sign that says so. */
function pad(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}

function paint(text: string, style: Style, { colours }: TableLook): string {
  if (!colours || text === '') return text
  return styleText(style, text, { validateStream: false })
}
