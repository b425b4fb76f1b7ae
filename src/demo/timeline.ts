/** The timeline: one line a moment, below it one a candidate and one a gate, and what was proven after it. At most 110 columns. */
import { styleText } from 'node:util'
import { LIFTS } from '../core/outcome.ts'
import { momentTitle } from './moment-title.ts'
import type { Played, Proven } from './play.ts'

type Style = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold'

export interface Look {
  readonly colours: boolean
}

const WIDTH = { number: 3, moment: 40, entry: 15, outcome: 32, bytes: 5, ms: 5 } as const
const GAP = '  '

/** What an outcome is in a few words; one that is not here goes by its own name. */
const WORDS: Readonly<Record<string, readonly [Style, string]>> = {
  served: ['cyan', 'served'],
  pointed: ['cyan', 'served as a pointer'],
  held: ['yellow', 'held until its gate lifts'],
  forbidden: ['red', 'forbidden'],
  known: ['dim', 'known: not served again'],
  lifted: ['green', 'lifted: the call goes on'],
  shown: ['green', '✓ shown: sent whole, answered'],
}

interface Line {
  readonly number?: string
  readonly moment?: string
  readonly isProof?: boolean
  readonly entry?: string
  readonly outcome?: readonly [Style, string]
  readonly bytes?: number
  readonly ms?: number
}

export function timelineHead(look: Look): string {
  const cells = [pad('', WIDTH.number), pad('moment', WIDTH.moment), pad('entry', WIDTH.entry), pad('outcome', WIDTH.outcome)]
  return paint([...cells, 'bytes'.padStart(WIDTH.bytes), 'ms'.padStart(WIDTH.ms)].join(GAP), 'dim', look)
}

/** Nothing for a moment at which nothing was to be done. */
export function timelineLines(played: Played, root: string, look: Look): readonly string[] {
  return [...momentLines(played, root), ...played.proven.flatMap(provenLines)].map((line) => lineOf(line, look))
}

function momentLines({ step, event, row }: Played, root: string): readonly Line[] {
  const { text, isAct } = momentTitle(event, root)
  const results = row === null ? [] : resultsOf(row)
  if (!isAct && results.length === 0) return []
  const [first, ...rest] = results
  const figures = row === null ? {} : { bytes: row.bytes, ms: row.ms.total }
  const head: Line = { number: String(step.number), moment: text, ...figures, ...first }
  return [row === null ? { ...head, outcome: ['red', 'not in the log'] } : head, ...rest]
}

function provenLines({ step, ...changed }: Proven): readonly Line[] {
  const [first, ...rest] = resultsOf(changed)
  // a gate lifts by what was proven in the line above
  if (first === undefined || changed.candidates.length === 0) return rest.length === 0 && first !== undefined ? [first] : []
  return [{ moment: `proof of ${step}`, isProof: true, ...first }, ...rest]
}

function resultsOf({ candidates, gates }: Pick<Proven, 'candidates' | 'gates'>): readonly Line[] {
  const ofGates = gates.map(({ entry, lift }): Line => ({ entry: nameOf(entry), outcome: gateWords(lift) }))
  const ofCandidates = candidates.map(({ entry, outcome }): Line => ({
    entry: nameOf(entry),
    outcome: WORDS[outcome] ?? ['red', outcome.replaceAll('_', ' ')],
  }))
  return [
    ...ofGates.filter(({ outcome }) => outcome?.[0] === 'green'),
    ...ofCandidates,
    ...ofGates.filter(({ outcome }) => outcome?.[0] !== 'green'),
  ]
}

function gateWords(lift: string): readonly [Style, string] {
  if (lift === 'armed') return ['yellow', 'gate armed again']
  // checked right here
  return ['green', `gate lifted: ${Object.hasOwn(LIFTS, lift) ? LIFTS[lift as keyof typeof LIFTS] : lift}`]
}

/** There is one store: its name says nothing. */
function nameOf(entry: string): string {
  return entry.slice(entry.indexOf('/') + 1)
}

function lineOf({ number = '', moment = '', isProof = false, entry = '', outcome = ['dim', ''], bytes, ms }: Line, look: Look): string {
  const [style, words] = outcome
  const cells = [
    paint(number.padStart(WIDTH.number), 'dim', look),
    paint(pad(isProof ? `  ${moment}` : moment, WIDTH.moment), isProof ? 'dim' : 'bold', look),
    pad(entry, WIDTH.entry),
    paint(pad(words, WIDTH.outcome), style, look),
    paint((bytes ? String(bytes) : '').padStart(WIDTH.bytes), 'dim', look),
    paint((ms?.toFixed(1) ?? '').padStart(WIDTH.ms), 'dim', look),
  ]
  return cells.join(GAP).trimEnd()
}

/** Too long a text is cut with a sign that says so. */
function pad(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.trim().length > width ? `${line.slice(0, width - 1)}…` : line.padEnd(width)
}

function paint(text: string, style: Style, { colours }: Look): string {
  return colours && text.trim() !== '' ? styleText(style, text, { validateStream: false }) : text
}
