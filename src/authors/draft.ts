/**
 * Writes a new entry: front matter, tests that hold, text.
 *
 * Pure. Tests are made up from the trigger: a use of it that must match, a mention of it that must not. Those that would not hold are
 * left out.
 */
import { stringify } from 'yaml'
import type { Entry } from '../core/entry.ts'
import { parseEntry } from '../stores/parse-entry.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { evaluate } from './evaluate.ts'

/** The keys of one item of `when`, as a person gives them. */
export interface DraftItem {
  readonly session?: readonly string[]
  readonly prompt?: readonly string[]
  readonly command?: readonly string[]
  readonly path?: readonly string[]
  readonly access?: 'read' | 'write'
  readonly tool?: readonly string[]
  readonly content?: readonly string[]
  readonly output?: readonly string[]
  readonly failed?: boolean
}

export interface Wish {
  readonly title: string
  readonly text: string
  readonly mustKnow: boolean
  readonly forbid: boolean
  readonly when: DraftItem
}

/** `file` and `store` are where it will lie: its id and its pointers depend on them. */
export function draft(
  wish: Wish,
  place: { readonly file: string; readonly store: { readonly name: string; readonly folder: string }; readonly home: string },
): string {
  const bare = written(wish, [])
  const { entry } = parseEntry(place.file, Buffer.from(bare), place.store, { home: place.home })
  return entry === null ? bare : written(wish, testsFor(wish.when, entry))
}

type Test = { readonly match: ToldMoment } | { readonly 'no-match': ToldMoment }

function written(wish: Wish, tests: readonly Test[]): string {
  const front = {
    title: wish.title,
    ...(wish.mustKnow ? { 'must-know': true } : {}),
    ...(wish.forbid ? { forbid: true } : {}),
    when: [
      Object.fromEntries(
        Object.entries(wish.when).map(([key, value]) => [key, Array.isArray(value) && value.length === 1 ? value[0] : value]),
      ),
    ],
    ...(tests.length === 0 ? {} : { tests }),
  }
  return `---\n${stringify(front, { lineWidth: 0 })}---\n${wish.text.trim()}\n`
}

function testsFor(when: DraftItem, entry: Entry): readonly Test[] {
  const told = uses(when)
  const matching = told === null ? [] : [told].filter((one) => evaluate(entry, one)?.matched === true)
  const sparing = mentions(when).filter((one) => evaluate(entry, one)?.matched === false)
  return [...matching.map((match) => ({ match })), ...sparing.map((spared) => ({ 'no-match': spared }))]
}

/** A moment with one value for each key; null where a key has only patterns, of which nobody can make up a text. */
function uses(when: DraftItem): ToldMoment | null {
  const told: Record<string, string | boolean> = {}
  for (const key of ['session', 'prompt', 'command', 'tool', 'content', 'output'] as const) {
    if (when[key] === undefined) continue
    const plain = when[key].find((value) => !value.startsWith('/'))
    if (plain === undefined) return null
    told[key] = plain
  }
  const glob = when.path?.find((one) => !one.startsWith('!'))
  if (glob !== undefined) told['path'] = sample(glob)
  if (when.access !== undefined) told['access'] = when.access
  if (when.failed !== undefined) told['failed'] = when.failed
  // each key holds what its author gave; what is no moment is thrown out by the try that follows
  return told as ToldMoment
}

function mentions(when: DraftItem): readonly ToldMoment[] {
  const plain = when.command?.find((value) => !value.startsWith('/'))
  const after: ToldMoment = {
    ...(when.failed === undefined ? {} : { failed: when.failed }),
    ...(when.output?.[0] === undefined ? {} : { output: when.output[0] }),
  }
  if (plain !== undefined) return [{ command: `echo "${plain.replaceAll('"', '')}"`, ...after }]
  const glob = when.path?.find((one) => !one.startsWith('!'))
  if (glob !== undefined && when.access === 'write') return [{ path: sample(glob), access: 'read' }]
  if (when.prompt !== undefined) return [{ prompt: 'go on' }]
  return []
}

/** A file that the glob should match: wildcards become a letter, of several choices the first is taken. */
function sample(glob: string): string {
  return glob
    .replaceAll(/\{([^,{}]*)[^{}]*\}/g, '$1')
    .replaceAll(/\*\*\//g, '')
    .replaceAll(/\*\*/g, 'a')
    .replaceAll(/\[([^\]!^])[^\]]*\]/g, '$1')
    .replaceAll(/[*?]/g, 'a')
}
