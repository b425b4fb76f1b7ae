/** From the shape that an author wrote to the fields of an entry: friendly forms are made plain here, and only here. */
import type { Entry, Scope, SessionTrigger, TriggerItem } from '../core/entry.ts'
import type { HarnessName, Millis } from '../core/id.ts'
import type { EntryShape, ItemShape } from './entry-schema.ts'

type Texts = string | number | readonly (string | number)[]
type Writable<T> = { -readonly [K in keyof T]: T[K] }

export type EntryFields = Omit<Entry, 'id' | 'title' | 'file' | 'store' | 'read' | 'text' | 'hash'>

export function fieldsOf(shape: EntryShape): EntryFields {
  return {
    when: oneOrMany(shape.when).map(triggerItem),
    mustKnow: shape['must-know'] ?? false,
    forbid: shape.forbid ?? false,
    scope: scopeOf(shape.scope),
    repeat: shape.repeat ?? 'epoch',
    priority: shape.priority ?? 0,
    carryToStop: shape.carry === 'stop',
    holdout: shape.holdout ?? false,
    expires: shape.expires === undefined ? null : endOf(shape.expires),
    obeyedWhen: oneOrMany(shape['obeyed-when'] ?? []).map(triggerItem),
    violatedWhen: oneOrMany(shape['violated-when'] ?? []).map(triggerItem),
  }
}

/** Files of `read`, as written. A comma counts only with a space behind it, since a file's name may hold one. */
export function readAsWritten(shape: EntryShape): readonly string[] {
  return textList(shape.read ?? []).flatMap((file) => file.split(/,\s+/).map((part) => part.trim()))
}

/**
 * The moment at which an entry stops to be served; null if the text is no real date.
 * A day without a time lasts until its end, in the time zone of this machine.
 */
export function endOf(date: string): Millis | null {
  const [year = 0, month = 0, day = 0] = date.slice(0, 10).split('-').map(Number)
  const isReal = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12
  if (!isReal) return null
  if (date.length === 10) return new Date(year, month - 1, day + 1).getTime()
  const at = Date.parse(date.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at
}

export function oneOrMany<T>(value: T | readonly T[]): readonly T[] {
  // Array.isArray does not narrow a readonly array out of a union with T; the check itself is complete.
  return Array.isArray(value) ? (value as readonly T[]) : [value as T]
}

/** Splits at commas that stand outside of braces, brackets and parentheses: `src/*.{ts,tsx}, lib/**` is two globs. */
function commaList(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if ('{[('.includes(character)) depth++
    if ('}])'.includes(character)) depth--
    if (character !== ',' || depth > 0) continue
    parts.push(text.slice(start, at))
    start = at + 1
  }
  parts.push(text.slice(start))
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** An item as matching takes it. */
export function triggerItem(shape: ItemShape): TriggerItem {
  const item: Writable<TriggerItem> = {}
  // The schema let only these words through; a comma list is the one form in which it can't say so by type.
  if (shape.session !== undefined) item.session = commaWords(shape.session) as readonly SessionTrigger[]
  if (shape.access !== undefined) item.access = commaWords(shape.access) as readonly ('read' | 'write')[]
  if (shape.prompt !== undefined) item.prompt = textList(shape.prompt)
  if (shape.command !== undefined) item.command = textList(shape.command)
  if (shape.path !== undefined) item.path = textList(shape.path).flatMap(commaList)
  if (shape.tool !== undefined) item.tool = textList(shape.tool).flatMap(commaList)
  if (shape.content !== undefined) item.content = textList(shape.content)
  if (shape.output !== undefined) item.output = textList(shape.output)
  if (shape.failed !== undefined) item.failed = shape.failed
  if (shape.not !== undefined) item.not = oneOrMany(shape.not).map(triggerItem)
  return item
}

function scopeOf(shape: EntryShape['scope']): Scope {
  const scope: Writable<Scope> = {}
  if (shape?.projects !== undefined) scope.projects = textList(shape.projects).flatMap(commaList)
  // As above: the schema let only names of harnesses through.
  if (shape?.harnesses !== undefined) scope.harnesses = commaWords(shape.harnesses) as readonly HarnessName[]
  if (shape?.agents !== undefined) scope.agents = textList(shape.agents).flatMap(commaList)
  return scope
}

function textList(texts: Texts): readonly string[] {
  return oneOrMany<string | number>(texts).map((text) => String(text).trim())
}

function commaWords(words: string | readonly string[]): readonly string[] {
  return oneOrMany<string>(words).flatMap(commaList)
}
