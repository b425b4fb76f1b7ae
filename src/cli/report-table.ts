/** A report as a table for a person, at most 110 columns wide. */
import type { EntryAnswer, ReportAnswer } from './report-answer.ts'

const NAME_WIDTH = 32
const HEAD = ['fired', 'served', 'shown', 'hid/cut/unv', 'held', 'forbid', 'obey/viol/none', 'bytes', 'B/run'] as const
const WIDTHS = [6, 7, 6, 12, 5, 7, 15, 9, 7] as const
const INDENT = '  '

export function reportText(report: ReportAnswer): string {
  return [...summary(report), '', ...table(report.entries), ...names(report), ...missed(report), ''].join('\n')
}

function summary({ since, moments, claims, runs, bytes, bytesPerRun }: ReportAnswer): string[] {
  const perRun = bytesPerRun === null ? '' : `, ${bytesPerRun} a run`
  const trouble = moments.notAnalysed + moments.failed === 0 ? '' : `, ${moments.notAnalysed} not analysed, ${moments.failed} failed`
  const { total, shown, hidden, cut, unverified, open, released } = claims
  return [
    `since ${new Date(since).toLocaleString()}`,
    `moments   ${moments.total}, ${moments.denied} denied${trouble}`,
    `handed    ${bytes} bytes in ${runs} ${runs === 1 ? 'run' : 'runs'}${perRun}`,
    `claims    ${short(total)}: ${short(shown)} shown, ${short(hidden)} hidden, ${short(cut)} cut, ${short(unverified)} unverified,`,
    `          ${short(open)} without a verdict yet, ${short(released)} released (never handed over)`,
    `proven    ${share(claims.provenShare)} of those with a verdict ended shown, hidden or cut`,
  ]
}

function table(entries: readonly EntryAnswer[]): string[] {
  if (entries.length === 0) return ['no entry matched a moment']
  return [row('entry', HEAD), ...entries.flatMap(entryLines)]
}

function entryLines(entry: EntryAnswer): string[] {
  const { verdicts, conduct } = entry
  const cells = [
    entry.fired,
    entry.served,
    share(entry.shownShare),
    triple(verdicts.hidden, verdicts.cut, verdicts.unverified),
    entry.held,
    entry.forbidden,
    conductCell(conduct.served),
    entry.bytes,
    entry.bytesPerRun ?? '–',
  ]
  return [row(entry.entry, cells), ...details(entry).map((line) => INDENT + line)]
}

/** What most entries have nothing of stands below the row. */
function details({ lifted, leftOut, withheld, conduct }: EntryAnswer): string[] {
  const lifts = Object.entries(lifted).map(([lift, count]) => `${lift} ${count}`)
  return [
    ...(lifts.length === 0 ? [] : [`gates lifted: ${lifts.join(', ')}`]),
    ...(leftOut === 0 ? [] : [`left out ${times(leftOut)}: no room or no seam (contextmd log --entry tells which)`]),
    ...(withheld === 0
      ? []
      : [`withheld ${times(withheld)} (holdout); there: obeyed/violated/no occasion ${conductCell(conduct.withheld)}`]),
  ]
}

function names({ neverFired, ignored }: ReportAnswer): string[] {
  const list = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0 ? [] : ['', title, ...entries.map((entry) => INDENT + entry)]
  return [...list('never fired:', neverFired), ...list('fired and ignored:', ignored)]
}

function missed({ missed: rows }: ReportAnswer): string[] {
  if (rows.length === 0) return []
  return [
    '',
    'missed (passed without us, or against us):',
    ...rows.map(({ harness, cause, count }) => `${INDENT}${harness}  ${cause}  ${count}`),
  ]
}

function row(name: string, cells: readonly (string | number)[]): string {
  const cut = name.length > NAME_WIDTH ? `…${name.slice(name.length - NAME_WIDTH + 1)}` : name.padEnd(NAME_WIDTH)
  return cut + cells.map((cell, index) => (typeof cell === 'number' ? short(cell) : cell).padStart(WIDTHS[index] ?? 0)).join('')
}

function conductCell({ obeyed, violated, noOccasion }: EntryAnswer['conduct']['served']): string {
  return triple(obeyed, violated, noOccasion)
}

/** Nothing at all is a dash: the eye finds what is there. */
function triple(...counts: readonly number[]): string {
  return counts.every((count) => count === 0) ? '–' : counts.map(short).join('/')
}

/** A figure of at most four digits with its unit: thousands, millions. The whole one stands in the JSON. */
function short(count: number): string {
  if (count < 10_000) return String(count)
  return count < 10_000_000 ? `${Math.floor(count / 1_000)}k` : `${Math.floor(count / 1_000_000)}M`
}

function share(part: number | null): string {
  if (part === null) return '–'
  // rounded down: only all of it is 100 %
  return `${Math.floor(part * 100)} %`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
