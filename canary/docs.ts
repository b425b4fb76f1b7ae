/** What a run proved, as a part of `docs/harnesses/NAME.md` that is written by `npm run canary -- --docs` and never by hand. */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CanaryReport } from './report.ts'

const BEGIN = '<!-- canary: written by `npm run canary -- --docs` from the record of a whole run -->'
const END = '<!-- canary: end -->'

export function docsFile(harness: string): string {
  return fileURLToPath(new URL(`../docs/harnesses/${harness}.md`, import.meta.url))
}

/** The part between the marks; null where there is none. */
export function partIn(text: string): string | null {
  const from = text.indexOf(BEGIN)
  const to = text.indexOf(END)
  return from < 0 || to < from ? null : text.slice(from + BEGIN.length, to)
}

export function partOf({ version, at, rows, excused, seams, claims }: CanaryReport): string {
  const passed = rows.filter((row) => row.passed).length
  const { judged, total, apart } = claims
  const besides = apart === 0 ? '' : `, and ${apart} more were in rows that take the proof away on purpose`
  const texts = total === 0 ? '' : ` Of ${total} texts that were handed over ${judged} ended shown, hidden or cut${besides}.`
  return [
    '',
    `On **${version}**, ${at.slice(0, 10)}: ${passed} of ${rows.length} rows passed.${texts}`,
    '',
    '| seam | | rows |',
    '| --- | --- | --- |',
    ...seams.map(({ seam, state, rows: count }) => `| ${seam} | ${state} | ${count} |`),
    '',
    '| row | |',
    '| --- | --- |',
    ...rows.map(({ name, passed: isGood }) => `| ${cell(name)} | ${isGood ? 'passed' : 'failed'} |`),
    ...excused.map(({ name, excuse }) => `| ${cell(name)} | not played (${excuse.since}): ${cell(excuse.why)} |`),
    '',
  ].join('\n')
}

export function withPart(text: string, part: string): string {
  const before = partIn(text)
  if (before !== null) return text.replace(`${BEGIN}${before}${END}`, () => `${BEGIN}${part}${END}`)
  return `${text.trimEnd()}\n\n## What the canary proved\n\n${BEGIN}${part}${END}\n`
}

export async function writePart(report: CanaryReport): Promise<string> {
  const file = docsFile(report.harness)
  await writeFile(file, withPart(await readFile(file, 'utf8'), partOf(report)))
  return file
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
