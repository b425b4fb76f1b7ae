/** The closing lines: what it cost, what was proven, what the same entries would have cost had they always been loaded. */
import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import type { LogRow } from '../cli/log-row.ts'
import { bytesOf } from '../core/text.ts'
import type { Played } from './play.ts'
import { claimsIn, type Promised } from './promises.ts'
import type { Look } from './timeline.ts'

const VERDICTS = ['shown', 'hidden', 'cut', 'unverified'] as const
const LABEL_WIDTH = 9
/** As wide as the timeline. */
const WIDTH = 110

export interface Session {
  readonly played: readonly Played[]
  readonly rows: readonly LogRow[]
  /** Files of all entries of the store. */
  readonly entryFiles: readonly string[]
  readonly promised: readonly Promised[]
}

export function summaryLines({ played, rows, entryFiles, promised }: Session, look: Look): readonly string[] {
  const times = rows.map((row) => row.ms.total).toSorted((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)] ?? 0
  const claims = claimsIn(rows)
  const verdicts = VERDICTS.map((verdict) => `${claims.filter(({ outcome }) => outcome === verdict).length} ${verdict}`)
  const given = played.reduce((sum, one) => sum + one.given, 0)
  const texts = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  const once = entryFiles.reduce((sum, file) => sum + bytesOf(withoutFrontMatter(readFileSync(file, 'utf8'))), 0)
  const compactions = played.filter(({ event }) => event['source'] === 'compact').length
  const loads = 1 + compactions
  const isWhole = promised.every(({ wasSeen }) => wasSeen)
  const seen = wrapped(promised.map(({ what, wasSeen }) => `${wasSeen ? '✓' : '✗ NOT SEEN:'} ${what}`))
  return [
    line(
      'moments',
      `${rows.length}, half of them answered within ${median.toFixed(1)} ms, the slowest within ${(times.at(-1) ?? 0).toFixed(1)} ms`,
    ),
    line('texts', `${claims.length} handed over: ${verdicts.join(', ')}`),
    line('bytes', `${number(given)} given: ${number(texts)} of text with our marks, each at its moment, and reasons of denied calls`),
    line(
      '',
      `${number(once * loads)} with all ${entryFiles.length} entries loaded ${loads === 1 ? 'at the start' : 'at the start and after the compaction'},`,
    ),
    line('', 'and that grows with every entry, where ours grows with what a session touches'),
    ...seen.map((text, index) => line(index === 0 ? 'seen' : '', paint(text, isWhole ? 'green' : 'red', look))),
  ]
}

/** The text that an always loaded file would put before the model. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, '').trim()
}

function wrapped(parts: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    const longer = last === undefined ? part : `${last}  ${part}`
    if (last !== undefined && longer.length <= WIDTH - LABEL_WIDTH - 2) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${text}`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function paint(text: string, style: 'green' | 'red', { colours }: Look): string {
  return colours ? styleText(style, text, { validateStream: false }) : text
}
