/** Turns what the schema found into mistakes that name a key, a reason and the nearest word that would do. */
import type { z } from 'zod'
import { nearest } from './nearest.ts'

export interface ShapeMistake {
  readonly code: 'unknown_key' | 'missing_key' | 'bad_value'
  readonly path: readonly PropertyKey[]
  readonly key: string
  readonly reason: string
  readonly cure: string
  /** A word that stands there, and the one that its author meant; null if nothing is near. */
  readonly slip: { readonly from: string; readonly to: string } | null
}

/** What is known of the words of a schema. */
export interface Vocabulary {
  /** Keys that may stand in the mapping at this path. */
  keysAt(path: readonly PropertyKey[]): readonly string[]
  /** Where an otherwise known key belongs, in words; null if it is known nowhere. */
  homeOf(key: string): string | null
  /** Words that the key takes, if it takes words. */
  wordsOf(key: string): readonly string[] | null
}

type Issue = z.core.$ZodIssue

export function shapeMistakes(issues: readonly Issue[], value: unknown, vocabulary: Vocabulary): readonly ShapeMistake[] {
  return issues.flatMap((issue) => flatten(issue, [])).flatMap(({ issue, path }) => mistakesOf(issue, path, value, vocabulary))
}

/** A union's issue becomes those of the branch that its author meant: the one whose own type fits. */
function flatten(issue: Issue, above: readonly PropertyKey[]): { issue: Issue; path: readonly PropertyKey[] }[] {
  const path = [...above, ...issue.path]
  if (issue.code !== 'invalid_union') return [{ issue, path }]
  const meant = issue.errors.find(
    (branch) => branch.length > 0 && branch.every((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys'),
  )
  return meant === undefined ? [{ issue, path }] : meant.flatMap((inner) => flatten(inner, path))
}

/** YAML 1.2 takes these for texts, their authors for switches. */
const SWITCHES: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' }

function mistakesOf(issue: Issue, path: readonly PropertyKey[], value: unknown, vocabulary: Vocabulary): ShapeMistake[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(key, path, vocabulary))
  }
  const key = keyOf(path)
  const given = valueAt(value, path)
  if (given === undefined) {
    return [{ code: 'missing_key', path, key, reason: `\`${key}\` is missing`, cure: `add \`${key}\`: it ${issue.message}`, slip: null }]
  }
  const words = vocabulary.wordsOf(key) ?? []
  const near = typeof given === 'string' ? (SWITCHES[given.toLowerCase()] ?? nearest(given, words)) : null
  const reason = key === '' ? issue.message : `\`${key}\` ${issue.message}`
  const cure = near === null ? 'write a value that fits' : `write \`${near}\``
  const slip = near === null || typeof given !== 'string' ? null : { from: given, to: near }
  return [{ code: 'bad_value', path, key, reason, cure, slip }]
}

function unknownKey(key: string, path: readonly PropertyKey[], vocabulary: Vocabulary): ShapeMistake {
  const known = vocabulary.keysAt(path)
  const near = nearest(key, known)
  const home = near === null ? vocabulary.homeOf(key) : null
  const cure = near !== null ? `write \`${near}\`` : (home ?? `remove it; keys here are ${known.join(', ')}`)
  const slip = near === null ? null : { from: key, to: near }
  return { code: 'unknown_key', path: [...path, key], key, reason: `\`${key}\` is not a key`, cure, slip }
}

function keyOf(path: readonly PropertyKey[]): string {
  return String(path.findLast((part) => typeof part === 'string') ?? '')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, part)
  }
  return at
}
