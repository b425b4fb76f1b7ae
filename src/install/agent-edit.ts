/**
 * Puts our endpoint for agents into the text of a settings file, and takes it out again. Pure: text in, text out.
 *
 * Everything else in the file stays byte for byte. An entry of that name that is not ours is left, and told.
 */
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'jsonc-morph'
import type { AgentPlace, AgentServer } from './agent-server.ts'
import { portOfServer } from './agent-server.ts'
import { objectIn, removeIfBare } from './edit.ts'
import { isRecord } from './hook.ts'
import { InstallError } from './install-error.ts'
import { editSettings, propertyOf, readSettings } from './settings-text.ts'
import { findTable, putTable, takeTable, tomlString } from './toml-table.ts'

export interface Edited {
  readonly text: string
  /** Keys that were not there before, e.g. `mcpServers`. */
  readonly created: readonly string[]
}

/** The port of our entry; null where there is none of ours. Throws an `InstallError`. */
export function agentPortIn(text: string, place: AgentPlace): number | null {
  return portOfServer(serverIn(text, place))
}

/** `created`: by an earlier setup of the same file. Throws an `InstallError`: `foreign` where somebody else's entry has the name. */
export function addServer(text: string, place: AgentPlace, server: AgentServer, created: readonly string[]): Edited {
  const there = serverIn(text, place)
  if (there !== null && portOfServer(there) === null)
    throw new InstallError('foreign', `${place.file}: another MCP server is named ${place.keys.join('.')}. Nothing was changed: rename it`)
  if (place.format === 'toml') {
    const name = place.keys.join('.')
    return {
      text: isSame(there, tomlKeys(tomlLines(server).join('\n'))) ? text : putTable(text, place.file, name, tomlLines(server)),
      created,
    }
  }
  if (isSame(there, server)) return { text, created }
  // what a person has added to it stays
  const merged = isRecord(there) ? { ...there, ...server } : server
  const made = new Set(created)
  const edited = editSettings(text, (settings) => {
    const list = place.keys.slice(0, -1).reduce<JsonObject>((above, name, depth) => {
      return objectIn(above, name, pathOf(place.keys, depth), place.file, made)
    }, settings)
    const name = place.keys.at(-1) ?? ''
    const property = propertyOf(list, name, place.file)
    const index = property?.propertyIndex()
    property?.remove()
    if (index === undefined) list.append(name, merged)
    else list.insert(index, name, merged)
  })
  return { text: edited, created: [...made] }
}

/** Leaves an entry of somebody else. Throws an `InstallError`. */
export function takeServer(text: string, place: AgentPlace, created: readonly string[]): string {
  if (agentPortIn(text, place) === null) return text
  if (place.format === 'toml') return takeTable(text, place.keys.join('.'))
  return editSettings(text, (settings) => {
    const lists: JsonObject[] = [settings]
    for (const name of place.keys.slice(0, -1)) {
      const next = propertyOf(lists.at(-1) ?? settings, name, place.file)?.valueIfObject()
      if (next === undefined) return
      lists.push(next)
    }
    const own = lists.at(-1) ?? settings
    propertyOf(own, place.keys.at(-1) ?? '', place.file)?.remove()
    // the innermost first: an outer one is bare once it is gone
    for (let depth = place.keys.length - 2; depth >= 0; depth -= 1) {
      const above = lists[depth]
      if (above !== undefined) removeIfBare(above, place.keys[depth] ?? '', place.file, created.includes(pathOf(place.keys, depth)))
    }
  })
}

/** Our entry as lines of the file, each with its own indentation. */
export function serverLines({ format }: AgentPlace, server: AgentServer): readonly string[] {
  return format === 'toml' ? tomlLines(server) : JSON.stringify(server, null, 2).split('\n')
}

function pathOf(keys: readonly string[], depth: number): string {
  return keys.slice(0, depth + 1).join('.')
}

/** Of a TOML table, the text keys that stand in it: enough to know it again. */
function serverIn(text: string, { file, format, keys }: AgentPlace): unknown {
  if (format === 'toml') {
    const table = findTable(text, keys.join('.'))
    return table === null ? null : tomlKeys(text.slice(table.start, table.ownEnd))
  }
  let value: unknown = readSettings(text, file)
  for (const key of keys) value = isRecord(value) ? value[key] : undefined
  return value ?? null
}

const TOML_KEY = /^[ \t]*([A-Za-z0-9_-]+)[ \t]*=[ \t]*(.*?)[ \t]*$/gm

/** As written, but for plain strings. */
function tomlKeys(table: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...table.matchAll(TOML_KEY)].map(([, key = '', value = '']) => [key, /^"[^"\\]*"$/.test(value) ? value.slice(1, -1) : value]),
  )
}

function isSame(there: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  return isRecord(there) && Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(there[key], value))
}

function tomlLines(server: AgentServer): readonly string[] {
  return Object.entries(server).map(([key, value]) => `${key} = ${tomlValue(value)}`)
}

/** Strings, and a table of strings on one line: all that an entry of ours holds. */
function tomlValue(value: unknown): string {
  if (!isRecord(value)) return typeof value === 'string' ? tomlString(value) : String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key} = ${tomlValue(inner)}`)
    .join(', ')} }`
}
