/**
 * The texts of an item's result: what the harness gave back for the call, never what the call itself said (G3, G5).
 *
 * Hosts keep a result as plain text, as JSON in a text, or as a list of blocks, with or without `Error: ` in front: every text in it
 * is given, and the caller looks for its own by containment.
 */
import { objectIn, type Item } from './items.ts'

/** Where each type keeps its result. A web search keeps only what was parsed of it: of a denied one nothing is left. */
const RESULT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  command_execution: ['output'],
  file_change: ['diffStr'],
  dynamic_tool: ['output'],
  subagent: ['result'],
}
/** A list of these has its text in one field of each. */
const RESULT_LISTS: Readonly<Record<string, string>> = { file_search: 'preview', web_search: 'snippet' }

/** Deeper than any result. */
const MAX_DEPTH = 8
/** Texts of one result. */
const MOST_TEXTS = 1_000

/** Empty: the item keeps no result, which says nothing about what the model was sent. */
export function resultTexts({ type, payload }: Item): readonly string[] {
  const texts: string[] = []
  for (const field of RESULT_FIELDS[type] ?? []) collect(payload[field], texts, 0)
  const inList = RESULT_LISTS[type]
  if (inList !== undefined && Array.isArray(payload['results'])) {
    for (const one of payload['results']) collect(objectIn(one)[inList], texts, 0)
  }
  return texts.filter((text) => text.trim() !== '')
}

function collect(value: unknown, texts: string[], depth: number): void {
  if (depth > MAX_DEPTH || texts.length >= MOST_TEXTS) return
  if (typeof value === 'string') {
    texts.push(value)
    const inside = parsed(value)
    if (inside !== null) collect(inside, texts, depth + 1)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const part of Object.values(value)) collect(part, texts, depth + 1)
}

/** What a text holds as JSON; null for a plain one. */
function parsed(text: string): object | null {
  const start = text.trimStart()[0]
  if (start !== '{' && start !== '[' && start !== '"') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? [value] : typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
