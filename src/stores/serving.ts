/** serving.json: which stores are served, and on which port. Read again whenever it changed; a bad file keeps the last good one. */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { parseToValue } from 'jsonc-morph'
import type { Millis } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { HostSetting } from '../host.ts'
import { isRecent, readFileOnce, sameStamp, stampOf, type FileRead, type Stamp } from './file.ts'
import type { StoreOfEntry } from './parse-entry.ts'
import { HOST_KEYS, LOG_KEYS, SERVING_KEYS, servingSchema, STORE_KEYS, type ServingShape } from './serving-schema.ts'
import { shapeMistakes, type Vocabulary } from './shape-mistakes.ts'

interface Serving {
  readonly stores: readonly StoreOfEntry[]
  readonly port: number | null
  readonly host: HostSetting
  /** How much of the log is kept; what is left out has its default. */
  readonly log: NonNullable<ServingShape['log']>
  /** An agent that changes our own files is held once. */
  readonly ownFiles: boolean
}

export interface ServingPlaces {
  /** The file itself. */
  readonly serving: string
  /** Settings folder: its `rules` is the store when there is no file. */
  readonly config: string
  readonly home: string
}

export interface ServingFile {
  /** As the file stands on disk now, or as it last was in order. The same object as long as nothing changed. */
  current(now: Millis): ServingNow
}

export interface ServingNow {
  readonly serving: Serving
  readonly problems: readonly Problem[]
}

export function openServingFile(places: ServingPlaces): ServingFile {
  let stamp: Stamp | null = null
  let lastGood: Serving | null = null
  let last: ServingNow | null = null

  return {
    current(now) {
      const before = stamp
      stamp = stampOf(places.serving)
      const isAsBefore = stamp !== null && sameStamp(stamp, before) && !isRecent(stamp, now)
      // without a file that was ever in order it depends on which folders there are
      if (last !== null && lastGood !== null && isAsBefore) return last
      const read = readServing(places)
      // A file that was taken away means the default again; one that broke does not.
      if (read.state !== 'broken') lastGood = read.serving
      const next = { serving: lastGood ?? defaultServing(places), problems: read.problems }
      if (last === null || JSON.stringify(next) !== JSON.stringify(last)) last = next
      return last
    },
  }
}

export type ServingRead =
  | { readonly state: 'read'; readonly serving: Serving; readonly problems: readonly Problem[] }
  | { readonly state: 'missing'; readonly serving: null; readonly problems: readonly Problem[] }
  | { readonly state: 'broken'; readonly serving: null; readonly problems: readonly Problem[] }

export function readServing(places: ServingPlaces): ServingRead {
  const found = readFileOnce(places.serving)
  if (found.kind === 'gone') return { state: 'missing', serving: null, problems: [] }
  if (found.kind !== 'read') return broken([unreadable(places.serving, found)])
  return parseServing(found.bytes, places)
}

function parseServing(bytes: Uint8Array, places: ServingPlaces): ServingRead {
  const file = places.serving
  const text = new TextDecoder().decode(bytes)
  let value: unknown
  try {
    value = parseToValue(text)
  } catch (thrown) {
    return broken([notJson(file, String(thrown instanceof Error ? thrown.message : thrown))])
  }
  const checked = servingSchema.safeParse(value)
  if (!checked.success) {
    const mistakes = shapeMistakes(checked.error.issues, value, VOCABULARY)
    return broken(
      mistakes.map(({ code, path, key, reason, cure }) => ({
        code: `serving_${code}`,
        severity: 'error',
        message: `${reason}${at(path)}; ${KEPT}`,
        cure,
        file,
        line: lineOf(text, key),
        key,
      })),
    )
  }
  const twice = twiceNamed(checked.data)
  if (twice !== null) {
    const message = `two stores are called "${twice}"; ${KEPT}`
    return broken([
      { code: 'serving_name_twice', severity: 'error', message, cure: 'give each store a name of its own', file, key: 'name' },
    ])
  }
  return { state: 'read', serving: servingOf(checked.data, places), problems: [] }
}

function servingOf(shape: ServingShape, places: ServingPlaces): Serving {
  return {
    stores: shape.stores.filter(({ enabled }) => enabled !== false).map(({ name, folder }) => ({ name, folder: expand(folder, places) })),
    port: shape.port ?? null,
    host: { kind: shape.host?.kind ?? 'found', base: shape.host?.base ?? null, others: shape.host?.others ?? false },
    log: shape.log ?? {},
    ownFiles: shape.ownFiles ?? true,
  }
}

/** Without a file, the folder that setup makes is the store, if it is there. */
function defaultServing(places: ServingPlaces): Serving {
  const folder = join(places.config, 'rules')
  const stores = stampOf(folder)?.kind === 'folder' ? [{ name: 'rules', folder }] : []
  return { stores, port: null, host: { kind: 'found', base: null, others: false }, log: {}, ownFiles: true }
}

function expand(folder: string, places: ServingPlaces): string {
  if (folder === '~') return places.home
  if (folder.startsWith('~/')) return join(places.home, folder.slice(2))
  return isAbsolute(folder) ? resolve(folder) : resolve(dirname(places.serving), folder)
}

const KEPT = 'the last good settings stay in force'

function broken(problems: readonly Problem[]): ServingRead {
  return { state: 'broken', serving: null, problems }
}

function notJson(file: string, detail: string): Problem {
  const line = /on line (\d+)/.exec(detail)?.[1]
  const message = `serving.json is not valid JSON: ${detail}; ${KEPT}`
  return {
    code: 'serving_not_json',
    severity: 'error',
    message,
    cure: 'mend the line',
    file,
    ...(line === undefined ? {} : { line: Number(line) }),
  }
}

function unreadable(file: string, found: Exclude<FileRead, { kind: 'read' | 'gone' }>): Problem {
  const message = `serving.json can't be read (${found.kind}); ${KEPT}`
  return { code: 'serving_unreadable', severity: 'error', message, cure: 'make it a file that the user who runs ContextMD may read', file }
}

function twiceNamed(shape: ServingShape): string | null {
  const names = shape.stores.map(({ name }) => name)
  return names.find((name, index) => names.indexOf(name) !== index) ?? null
}

/** Where in the file, for a key that stands in a list: `stores[1].folder`. */
function at(path: readonly PropertyKey[]): string {
  if (path.length < 2) return ''
  return ` (${path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`)).join('')})`
}

/** The first line that holds the key; 1 where it holds none. */
function lineOf(text: string, key: string): number {
  const index = text.split('\n').findIndex((line) => line.includes(`"${key}"`))
  return Math.max(index, 0) + 1
}

const VOCABULARY: Vocabulary = {
  keysAt: ([first, ...rest]) => {
    if (first === undefined) return SERVING_KEYS
    if (first === 'host') return HOST_KEYS
    if (first === 'log') return LOG_KEYS
    return first === 'stores' && rest.length > 0 ? STORE_KEYS : []
  },
  homeOf: (key) => (STORE_KEYS.includes(key) ? 'put it into an item of `stores`' : null),
  wordsOf: (key) => (key === 'kind' ? ['standalone', 't3code'] : null),
}
