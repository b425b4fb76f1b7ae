/**
 * One file to one entry.
 *
 * In: the bytes of a Markdown file. Out: the entry, or null when it is not to be served, with everything that a person should know
 * about it. An error means that the entry is not served; warnings and infos don't stop it. Never throws.
 */
import { createHash } from 'node:crypto'
import { basename, extname, relative, sep } from 'node:path'
import type { Entry } from '../core/entry.ts'
import { id, type EntryId, type TextHash } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import { checkEntry } from './check-entry.ts'
import { ENTRY_KEYS, entrySchema, ITEM_KEYS, SCOPE_KEYS, type EntryShape } from './entry-schema.ts'
import { TEST_KEYS, TOLD_KEYS } from './entry-tests.ts'
import { WORDS } from './entry-words.ts'
import { endOf, fieldsOf, readAsWritten } from './entry-fields.ts'
import { readTarget, type ReadTarget } from './read-targets.ts'
import { shapeMistakes, type Vocabulary } from './shape-mistakes.ts'
import { sourceOf } from './source.ts'
import { sourceProblem } from './source-problem.ts'
import { yamlValues } from './yaml-values.ts'

export interface ParsedEntry {
  readonly entry: Entry | null
  readonly problems: readonly Problem[]
  /** Files that were looked for. When one of them comes or goes, the entry reads otherwise. */
  readonly lookedFor: readonly { readonly path: string; readonly wasThere: boolean }[]
}

export interface StoreOfEntry {
  readonly name: string
  readonly folder: string
}

export interface ParseOptions {
  readonly home: string
  /** Set for a project's own store: files of `read` may be relative to it. */
  readonly projectRoot?: string
}

/** Line 1 of the front matter is line 2 of the file. */
const LINES_ABOVE_FRONT_MATTER = 1

export function parseEntry(file: string, bytes: Uint8Array, store: StoreOfEntry, options: ParseOptions): ParsedEntry {
  const source = sourceOf(bytes)
  if (!source.ok) return { entry: null, problems: [sourceProblem(file, source.mistake)], lookedFor: [] }

  const yaml = yamlValues(source.frontMatter)
  const problems: Problem[] = []
  const report = (severity: Problem['severity'], code: string, path: readonly PropertyKey[], reason: string, cure: string): void => {
    const key = path.findLast((part) => typeof part === 'string')
    const line = yaml.lineOf(path) + LINES_ABOVE_FRONT_MATTER
    problems.push({
      code,
      severity,
      message: withEffect(reason, severity),
      cure,
      file,
      line,
      ...(key === undefined ? {} : { key: String(key) }),
    })
  }
  const done = (entry: Entry | null, targets: readonly ReadTarget[] = []): ParsedEntry => ({
    entry,
    problems,
    lookedFor: targets.map((target) => ({ path: target.lookedAt, wasThere: target.kind === 'found' })),
  })

  if (source.hadMark)
    report('info', 'entry_byte_order_mark', [], 'the file starts with a byte order mark; it is passed over', 'save it as UTF-8 without one')
  for (const { reason, cure, line } of yaml.mistakes) {
    const at = line + LINES_ABOVE_FRONT_MATTER
    problems.push({ code: 'entry_bad_yaml', severity: 'error', message: withEffect(reason, 'error'), cure, file, line: at })
  }
  if (yaml.mistakes.length > 0) return done(null)

  const checked = entrySchema.safeParse(yaml.value)
  if (!checked.success) {
    for (const mistake of shapeMistakes(checked.error.issues, yaml.value, VOCABULARY))
      report('error', `entry_${mistake.code}`, mistake.path, mistake.reason, mistake.cure)
    return done(null)
  }

  const shape = checked.data
  for (const finding of checkEntry(shape)) report(finding.severity, finding.code, finding.path, finding.reason, finding.cure)
  if (shape.expires !== undefined && endOf(shape.expires) === null)
    report('error', 'entry_bad_value', ['expires'], '`expires` is no day of the calendar', 'write a real date: 2027-01-31')

  const text = harmless(source.body)
  const written = readAsWritten(shape)
  const targets = written.map((path) => readTarget(path, { file, ...options }))
  checkText(shape, text, targets, report)

  if (problems.some((problem) => problem.severity === 'error')) return done(null, targets)
  if (shape.enabled === false) {
    report('info', 'entry_disabled', ['enabled'], 'the entry is switched off', 'set `enabled: true` to serve it')
    return done(null, targets)
  }
  const fields = fieldsOf(shape)
  return done(
    {
      ...fields,
      id: id<EntryId>(shape.id ?? `${store.name}/${nameIn(store.folder, file)}`),
      title: String(shape.title ?? basename(file, extname(file))).trim(),
      file,
      store: store.name,
      read: shape.forbid ? [] : targets.filter((target) => target.kind !== 'missing').map((target) => target.path),
      text,
      hash: hashOf(text, written),
    },
    targets,
  )
}

type Report = (severity: Problem['severity'], code: string, path: readonly PropertyKey[], reason: string, cure: string) => void

function checkText(shape: EntryShape, text: string, targets: readonly ReadTarget[], report: Report): void {
  const isMute = text === ''
  if (shape.forbid && targets.length > 0) {
    const cure = 'say in the body what is forbidden and what to do instead, and drop `read`'
    report(
      isMute ? 'error' : 'warning',
      'entry_forbid_with_read',
      ['read'],
      '`read` does nothing here: a forbidden call is never allowed',
      cure,
    )
    return
  }
  if (isMute && targets.length === 0)
    report('error', 'entry_empty', [], 'the entry has no text and names no file to read', 'write the rule below the front matter')
  const isLost = isMute && targets.every((target) => target.kind === 'missing')
  for (const target of targets) {
    if (target.kind !== 'missing') continue
    const cure = 'mend the path: ./ is relative to the entry, a bare name to the entry or the project'
    report(isLost ? 'error' : 'warning', 'entry_read_missing', ['read'], `\`read\` names a file that is not there: ${target.path}`, cure)
  }
}

/** What follows from a mistake stands in its message, once. */
function withEffect(reason: string, severity: Problem['severity']): string {
  return severity === 'error' ? `${reason}; the entry is not served` : reason
}

/** Harnesses treat these tags as their own words: text of an entry must not pose as the harness. */
function harmless(text: string): string {
  return text.replace(/<(?=\s*\/?\s*system-reminder\b)/gi, '&lt;')
}

/** Of the text and of what the entry points to, as written: the same in every worktree. */
function hashOf(text: string, read: readonly string[]): TextHash {
  const hash = createHash('sha256').update(text)
  for (const path of read) hash.update('\0').update(path)
  return id<TextHash>(hash.digest('hex'))
}

function nameIn(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/').replace(/\.md$/i, '')
}

const LISTS_OF_ITEMS: ReadonlySet<PropertyKey> = new Set(['when', 'obeyed-when', 'violated-when'])

export const VOCABULARY: Vocabulary = {
  keysAt(path) {
    const [first] = path
    if (first === undefined) return ENTRY_KEYS
    if (first === 'tests') return path.length <= 2 ? TEST_KEYS : TOLD_KEYS
    if (LISTS_OF_ITEMS.has(first)) return ITEM_KEYS
    return first === 'scope' ? SCOPE_KEYS : []
  },
  homeOf(key) {
    if (ITEM_KEYS.includes(key)) return 'put it into an item of `when`'
    if (SCOPE_KEYS.includes(key)) return 'put it under `scope`'
    return ENTRY_KEYS.includes(key) ? 'put it at the left margin, outside of `when` and `scope`' : null
  },
  wordsOf: (key) => (Object.hasOwn(WORDS, key) ? WORDS[key as keyof typeof WORDS] : null), // hasOwn has just said that it is a key
}
