/**
 * What is wrong with an item of `when`: patterns that can't be read or can never match, keys that contradict each other.
 *
 * In: an item, with the right shape. Out: one finding for each mistake, with its key, for lint. Empty: nothing is wrong.
 */
import type { TriggerItem } from '../core/entry.ts'
import { parsePattern } from './command/pattern.ts'
import { globRegex } from './glob-regex.ts'
import { plainGlob, splitGlobs } from './glob.ts'
import { phaseOf } from './item.ts'
import { compileRegex, regexMistake, regexSource } from './regex.ts'

export interface Finding {
  readonly key: keyof TriggerItem
  readonly message: string
  readonly hint: string
}

const TEXT_KEYS = ['prompt', 'content', 'output'] as const

export function checkTrigger(item: TriggerItem): readonly Finding[] {
  return [
    ...contradictions(item),
    ...TEXT_KEYS.flatMap((key) => (item[key] ?? []).flatMap((pattern) => textFindings(key, pattern))),
    ...(item.command ?? []).flatMap(commandFindings),
    ...(item.path ?? []).flatMap((text) => splitGlobs(text).flatMap(pathFindings)),
    ...(item.tool ?? []).flatMap((tool) =>
      tool.trim() === '' ? [{ key: 'tool', message: 'it is empty', hint: 'name a tool' } as const] : [],
    ),
    ...(item.not ?? []).flatMap((other) => notFindings(other)),
  ]
}

function notFindings(other: TriggerItem): readonly Finding[] {
  const inside = checkTrigger(other).map(({ message, hint }) => ({ key: 'not', message, hint }) as const)
  return inside
}

function contradictions(item: TriggerItem): readonly Finding[] {
  const phase = phaseOf(item)
  if (phase === null) {
    return [
      {
        key: 'not',
        message: 'the item has no key that could match, so it never fires',
        hint: 'add session, prompt, command, path, tool, content, output or failed',
      },
    ]
  }
  if (item.prompt && phase !== 'prompt') {
    return [{ key: 'prompt', message: 'a prompt is no call, so this item never fires', hint: 'make two items: any of them may match' }]
  }
  if (item.session && phase !== 'session' && phase !== 'prompt') {
    return [
      {
        key: 'session',
        message: 'a session start is no call, so this item fires by chance at most',
        hint: 'make two items: any of them may match',
      },
    ]
  }
  return []
}

function textFindings(key: (typeof TEXT_KEYS)[number], pattern: string): readonly Finding[] {
  if (pattern.trim() === '') return [{ key, message: 'it is empty', hint: 'give words, a phrase or /regex/' }]
  return regexFindings(key, pattern)
}

function commandFindings(pattern: string): readonly Finding[] {
  const key = 'command'
  if (pattern.trim() === '') return [{ key, message: 'it is empty', hint: 'give a program and its leading words, or /regex/' }]
  if (regexSource(pattern)) return regexFindings(key, pattern)
  const parsed = parsePattern(pattern)
  if (parsed.ok) return []
  return [{ key, message: `“${pattern}” can't be read: ${parsed.why}`, hint: 'give a program, its leading words and flags, or /regex/' }]
}

function regexFindings(key: keyof TriggerItem, pattern: string): readonly Finding[] {
  const regex = regexSource(pattern)
  if (regex === null) return []
  const mistake = regexMistake(regex)
  if (mistake !== null)
    return [{ key, message: `${pattern} can't be used: ${mistake}`, hint: 'correct the pattern; the syntax is that of RE2' }]
  if (compileRegex(regex)?.test('') && regex.source !== '^$') {
    return [{ key, message: `${pattern} matches anything`, hint: 'leave the key out, or say what must stand there' }]
  }
  const boundary = deadBoundary(regex.source)
  if (boundary === null) return []
  const flags = key === 'command' ? '; or name the flag as a flag: `rm -rf`' : ''
  return [
    {
      key,
      message: `${pattern} can ${boundary}`,
      hint: `leave out the \\b: there is no word boundary between a space and a character like “-”${flags}`,
    },
  ]
}

/** `\b` before or behind a character that is no part of a word needs a word on its other side (M3). */
function deadBoundary(source: string): string | null {
  const tokens = source.match(/\\.|\[(?:\\.|[^\]\\])*\]|./gs) ?? []
  for (const [at, token] of tokens.entries()) {
    if (token !== '\\b') continue
    const before = sideOf(tokens[at - 1])
    const after = sideOf(tokens[at + 1])
    if (before === 'none' && after === 'none')
      return 'never match: a word boundary stands between two characters that are no part of a word'
    if (before === 'open' && after === 'none')
      return 'match only where a word touches it: before the word boundary it needs a letter or digit'
    if (before === 'start' && after === 'none') return 'never match: nothing stands before the word boundary'
  }
  return null
}

/** What stands beside a boundary: a character of a word, one that is none, the start of the text, the pattern's own edge, or unknown. */
function sideOf(token: string | undefined): 'word' | 'none' | 'open' | 'start' | 'unknown' {
  if (token === undefined || token === '(' || token === '|') return 'open'
  if (token === '^') return 'start'
  if (/^\w$|^\\[wd]$/.test(token)) return 'word'
  if (/^\\[sW]$|^\\[^a-zA-Z0-9]$|^[^\w\\.*+?()[\]{}|^$]$/.test(token)) return 'none'
  return 'unknown'
}

function pathFindings(glob: string): readonly Finding[] {
  const key = 'path'
  const bare = glob.startsWith('!') && glob[1] !== '(' ? glob.slice(1) : glob
  const plain = plainGlob(bare)
  if (plain === null)
    return [
      {
        key,
        message: `“${glob}” leads out of the project, so it never matches`,
        hint: 'give it from the project root, absolute, or from ~',
      },
    ]
  const translated = globRegex(plain)
  if (!translated.ok) return [{ key, message: `“${glob}” can't be used: ${translated.why}`, hint: 'for example: src/**, !src/gen/**' }]
  if (compileRegex({ source: translated.source, flags: 's' }) === null)
    return [{ key, message: `“${glob}” is no valid glob`, hint: 'put a backslash before brackets that belong to the name' }]
  if (/^[A-Za-z]:\\|\w\\\w/.test(plain))
    return [
      {
        key,
        message: `“${glob}” has backslashes, which take away the meaning of the next character`,
        hint: 'write paths with forward slashes',
      },
    ]
  return []
}
