/**
 * Mends in an entry's file what can be mended without guessing: misspelt keys and words, tabs, a byte order mark, line ends of Windows,
 * values that need quotes.
 *
 * Pure: text in, text out. A step is kept only if it leaves fewer mistakes, so that what can't be mended stays as it was written.
 */
import { entrySchema } from '../stores/entry-schema.ts'
import { VOCABULARY } from '../stores/parse-entry.ts'
import { shapeMistakes } from '../stores/shape-mistakes.ts'
import { sourceOf } from '../stores/source.ts'
import { yamlValues } from '../stores/yaml-values.ts'

/** More slips than this in one file are no slips. */
const MOST_STEPS = 20

/** The same text if there is nothing to mend. */
export function fixed(text: string): string {
  let lines = evenLines(text)
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = better(lines)
    if (next === null) break
    lines = next
  }
  const after = lines.join('\n')
  return isEntry(after) ? after : text
}

function isEntry(text: string): boolean {
  return sourceOf(Buffer.from(text)).ok
}

/** Without byte order mark, with LF, and in the front matter with spaces at the start of lines. */
function evenLines(text: string): readonly string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  const end = lines.findIndex((line, index) => index > 0 && /^---[ \t]*$/.test(line))
  return lines.map((line, index) => (index < end ? line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')) : line))
}

interface Mistake {
  /** Index in the lines of the file. */
  readonly line: number
  readonly slip: { readonly from: string; readonly to: string } | null
}

type Found = { readonly kind: 'yaml' | 'shape'; readonly mistakes: readonly Mistake[] }

function better(lines: readonly string[]): readonly string[] | null {
  const before = mistakesIn(lines)
  for (const mistake of before.mistakes) {
    const line = lines[mistake.line] ?? ''
    const mended = mistake.slip === null ? (before.kind === 'yaml' ? quoted(line) : null) : replaced(line, mistake.slip)
    if (mended === null || mended === line) continue
    const after = lines.with(mistake.line, mended)
    if (isLess(mistakesIn(after), before, mistake)) return after
  }
  return null
}

function isLess(after: Found, before: Found, { line, slip }: Mistake): boolean {
  if (after.kind !== before.kind) return after.kind === 'shape'
  // of YAML only the first mistake is told: what comes behind it is another one
  if (after.kind === 'yaml') return (after.mistakes[0]?.line ?? Infinity) > line
  // behind a key that was misspelt its value may be misspelt too
  const isGone = !after.mistakes.some((mistake) => mistake.line === line && mistake.slip?.from === slip?.from)
  return isGone && after.mistakes.length <= before.mistakes.length
}

function mistakesIn(lines: readonly string[]): Found {
  const source = sourceOf(Buffer.from(lines.join('\n')))
  if (!source.ok) return { kind: 'shape', mistakes: [] }
  const yaml = yamlValues(source.frontMatter)
  // line 1 of the front matter is the second of the file, whose index is 1
  if (yaml.mistakes.length > 0) return { kind: 'yaml', mistakes: yaml.mistakes.map(({ line }) => ({ line, slip: null })) }
  const checked = entrySchema.safeParse(yaml.value)
  if (checked.success) return { kind: 'shape', mistakes: [] }
  const mistakes = shapeMistakes(checked.error.issues, yaml.value, VOCABULARY)
  return { kind: 'shape', mistakes: mistakes.map(({ path, slip }) => ({ line: yaml.lineOf(path), slip })) }
}

function replaced(line: string, { from, to }: { readonly from: string; readonly to: string }): string {
  const at = new RegExp(`(?<![\\w-])${from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`)
  return line.replace(at, to)
}

/** `key: value` with the value in single quotes, in which nothing has a meaning but the quote itself. */
function quoted(line: string): string | null {
  const found = /^(\s*(?:- +)*(?:[\w-]+: +)?)(\S.*?)\s*$/.exec(line)
  const [, key = '', value = ''] = found ?? []
  // what opens a list or a mapping is meant as one, more often than not
  if (found === null || value === '' || /^['[{]/.test(value)) return null
  const double = /^"(.*)"$/.exec(value)?.[1]
  const plain = double === undefined ? value : double.replaceAll('\\"', '"')
  return `${key}'${plain.replaceAll("'", "''")}'`
}
