/**
 * Front matter from YAML to plain values, with the line on which each stands.
 *
 * Walks the parsed nodes itself instead of letting the library expand them: an unquoted glob (`*.ts`, an alias to YAML) stays the text
 * that its author meant, a number keeps its own spelling, and nothing is ever expanded or executed.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml'

type PlainValue = string | number | boolean | null | readonly PlainValue[] | { readonly [key: string]: PlainValue }

interface YamlMistake {
  readonly reason: string
  readonly cure: string
  readonly line: number
}

export interface YamlValues {
  readonly value: PlainValue
  readonly mistakes: readonly YamlMistake[]
  /** Line, counted from 1 within the text, of the value at a path; the nearest one above it if the path does not exist. */
  lineOf(path: readonly PropertyKey[]): number
}

export function yamlValues(text: string): YamlValues {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' })
  const lineAt = (offset: number): number => counter.linePos(offset).line
  const lines = new Map<string, number>()
  const mistakes: YamlMistake[] = []
  // Later errors follow from the first more often than not.
  const first = document.errors[0]
  if (first !== undefined) mistakes.push({ reason: sentence(first), cure: cureOf(first), line: lineAt(first.pos[0]) })

  const plain = (node: unknown, path: readonly PropertyKey[], line: number): PlainValue => {
    lines.set(path.join('/'), line)
    if (isMap(node)) {
      // Without a prototype: a key may be called `__proto__`.
      const map: Record<string, PlainValue> = Object.create(null)
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : '?'
        const keyLine = isScalar(pair.key) && pair.key.range ? lineAt(pair.key.range[0]) : line
        map[key] = plain(pair.value, [...path, key], keyLine)
      }
      return map
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => plain(item, [...path, index], startOf(item) ?? line))
    }
    if (isAlias(node)) {
      const source = node.range ? text.slice(node.range[0], node.range[1]) : `*${node.source}`
      // Finding an anchor reads the whole document: one such mistake is enough.
      if (mistakes.length === 0 && node.resolve(document) !== undefined) {
        mistakes.push({
          reason: `\`${source}\` refers to an anchor, which entries can't use`,
          cure: 'write the value out',
          line: startOf(node) ?? line,
        })
      }
      return source
    }
    if (!isScalar(node)) return null
    if (node.tag !== undefined && node.tag.startsWith('!')) {
      const cure = `put the value in quotes: '${node.tag}'`
      mistakes.push({ reason: `a value can't start with an exclamation mark unless it is quoted`, cure, line: startOf(node) ?? line })
      return null
    }
    return scalar(node.value, node.source)
  }

  const startOf = (node: unknown): number | null => {
    const range = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range : null
    return range ? lineAt(range[0]) : null
  }

  const value = plain(document.contents, [], 1)
  return {
    value,
    mistakes,
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lines.get(path.slice(0, length).join('/'))
        if (line !== undefined) return line
      }
      return 1
    },
  }
}

function scalar(value: unknown, source: string | undefined): PlainValue {
  if (typeof value === 'boolean' || typeof value === 'string' || value === null) return value
  // `1.0`, `0x1F` and `010` are texts to their author when they are not the number's plain spelling.
  if (typeof value === 'number') return source === undefined || String(value) === source ? value : source
  return String(value)
}

function sentence(error: YAMLError): string {
  return `it is not valid YAML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`
}

function cureOf(error: YAMLError): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return 'keep one of them; a key takes several values as a list: [one, two]'
    case 'TAB_AS_INDENT':
      return 'indent with spaces'
    case 'MISSING_CHAR':
      return 'close the quote or bracket'
    case 'BAD_DQ_ESCAPE':
      return "use single quotes, in which a backslash is a backslash: '/\\d+/'"
    case 'BAD_SCALAR_START':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'UNEXPECTED_TOKEN':
      return "put the value in single quotes, as in: prompt: '/fix: .*/'"
    default:
      return 'mend the line; values with special characters go in single quotes'
  }
}
