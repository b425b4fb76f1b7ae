/**
 * One table of a TOML file, put at its end or taken out again; every other byte stays. Pure: text in, text out.
 *
 * Not a parser: it knows strings, comments and brackets well enough to tell the header of a table from what only looks like one.
 */
import { InstallError } from './install-error.ts'

export interface TomlTable {
  /** Of the header's first character. */
  readonly start: number
  /** Of the next header, or the end. */
  readonly ownEnd: number
  /** The same behind the tables below it (`NAME.more`). */
  readonly end: number
}

interface Header {
  /** As written, without brackets and blanks. */
  readonly name: string
  readonly at: number
}

/** Null where there is no table of that name. */
export function findTable(text: string, name: string): TomlTable | null {
  const headers = headersIn(text)
  const first = headers.findIndex((header) => header.name === name)
  const own = headers[first]
  if (own === undefined) return null
  const next = headers.slice(first + 1).find((header) => !header.name.startsWith(`${name}.`))
  return { start: own.at, ownEnd: headers[first + 1]?.at ?? text.length, end: next?.at ?? text.length }
}

/** Puts the table in place of the one of that name, else at the end. `lines`: its keys; others that stand there stay. Throws an `InstallError`. */
export function putTable(text: string, file: string, name: string, lines: readonly string[]): string {
  const table = `[${name}]\n${lines.join('\n')}\n`
  const found = findTable(text, name)
  if (found !== null) return text.slice(0, found.start) + merged(text.slice(found.start, found.ownEnd), lines) + text.slice(found.ownEnd)
  const [group = ''] = name.split('.')
  // as an inline table it can't be added to
  const inline = new RegExp(`^[ \\t]*(?:${group}|"${group}")[ \\t]*=`, 'm').exec(text)
  if (inline !== null)
    throw new InstallError(
      'not_an_object',
      `${file}: "${group}" is written on one line. Nothing was changed: write it as [${name}] by hand`,
    )
  const put = text === '' ? table : `${text}${text.endsWith('\n') ? '' : '\n'}\n${table}`
  if (findTable(put, name) === null)
    throw new InstallError('not_an_object', `${file} ends within a text or a list. Nothing was changed: mend the file and run this again`)
  return put
}

/** Takes the table out, with the blank line that stands above it. */
export function takeTable(text: string, name: string): string {
  const found = findTable(text, name)
  if (found === null) return text
  const above = text.slice(0, found.start)
  const rest = text.slice(found.end)
  if (rest === '') return above.endsWith('\n\n') ? above.slice(0, -1) : above
  return above + rest
}

/** The text of a value. */
export function tomlString(value: string): string {
  return JSON.stringify(value)
}

/** Lines of keys of ours in the place of those that were there; what is new behind the header. */
function merged(table: string, lines: readonly string[]): string {
  const [header = '', ...rest] = table.split('\n')
  const wanted = new Map(lines.map((line) => [keyOf(line), line]))
  const kept = rest.map((line) => {
    const mine = wanted.get(keyOf(line))
    wanted.delete(keyOf(line))
    return mine ?? line
  })
  return [header, ...wanted.values(), ...kept].join('\n')
}

/** Empty where a line sets none. */
function keyOf(line: string): string {
  return /^[ \t]*([A-Za-z0-9_-]+)[ \t]*=/.exec(line)?.[1] ?? ''
}

/** Headers of tables outside of strings, comments and lists. */
function headersIn(text: string): readonly Header[] {
  const headers: Header[] = []
  let depth = 0
  let at = 0
  while (at < text.length) {
    const lineStart = at === 0 || text[at - 1] === '\n'
    const header = lineStart && depth === 0 ? HEADER.exec(lineAt(text, at)) : null
    if (header !== null) {
      headers.push({ name: (header[1] ?? '').replaceAll(/[ \t"']/g, ''), at })
      at += header[0].length
      continue
    }
    const [skipped, opens] = stepOver(text, at)
    depth = Math.max(0, depth + opens)
    at += skipped
  }
  return headers
}

const HEADER = /^[ \t]*\[{1,2}([^[\]\n]+)\]{1,2}[ \t]*(?:#.*)?$/

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.slice(at) : text.slice(at, end)
}

/** How many characters belong together here, and what they change in the depth of brackets. */
function stepOver(text: string, at: number): readonly [length: number, opens: number] {
  const character = text[at]
  if (character === '#') return [Math.max(1, lineAt(text, at).length), 0]
  if (character === '[' || character === '{') return [1, 1]
  if (character === ']' || character === '}') return [1, -1]
  if (character !== '"' && character !== "'") return [1, 0]
  const isLong = text.startsWith(character.repeat(3), at)
  const close = isLong ? character.repeat(3) : character
  let end = at + close.length
  while (end < text.length && !text.startsWith(close, end)) {
    // a short string ends with its line at the latest
    if (!isLong && text[end] === '\n') return [end - at, 0]
    end += character === '"' && text[end] === '\\' ? 2 : 1
  }
  // `""""` : a quotation mark may stand right before the end of a long one
  if (isLong) while (text[end + close.length] === character) end += 1
  return [Math.min(text.length, end + close.length) - at, 0]
}
