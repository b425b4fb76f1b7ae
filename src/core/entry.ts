/**
 * An entry: one Markdown file with front matter, parsed and checked.
 *
 * `stores/` makes it from a file, `match/` compiles its trigger, the core decides about it. Its trigger is its `when`.
 */
import type { EntryId, HarnessName, Millis, TextHash } from './id.ts'

export type SessionTrigger = 'start' | 'resume' | 'compact' | 'subagent'
export type Repeat = 'epoch' | 'run' | 'always'

/** A word, a phrase, or `/regex/flags`, as its author wrote it. */
export type TextPattern = string

/** One item of `when`: all of its keys must match. A key with several values matches when any of them does. */
export interface TriggerItem {
  readonly session?: readonly SessionTrigger[]
  readonly prompt?: readonly TextPattern[]
  /** Program and leading words, flags that must be there, or `/regex/` over the normalised command. */
  readonly command?: readonly string[]
  /** Globs from the project's root, or absolute. A leading `!` takes away. */
  readonly path?: readonly string[]
  readonly access?: readonly ('read' | 'write')[]
  readonly tool?: readonly string[]
  readonly content?: readonly TextPattern[]
  readonly output?: readonly TextPattern[]
  readonly failed?: boolean
  readonly not?: readonly TriggerItem[]
}

export interface Scope {
  /** Folder names, absolute folders, globs over them, or git remotes. */
  readonly projects?: readonly string[]
  readonly harnesses?: readonly HarnessName[]
  /** `main`, `subagent`, or a subagent's type. */
  readonly agents?: readonly string[]
}

export interface Entry {
  readonly id: EntryId
  readonly title: string
  /** Absolute path of the entry's own file. */
  readonly file: string
  /** Name of its store. */
  readonly store: string
  readonly when: readonly TriggerItem[]
  readonly mustKnow: boolean
  readonly forbid: boolean
  /** Pointer: absolute paths of the files to read (before a project is known: relative to it). Empty: inline. */
  readonly read: readonly string[]
  readonly scope: Scope
  readonly repeat: Repeat
  readonly priority: number
  readonly carryToStop: boolean
  readonly holdout: boolean
  readonly expires: Millis | null
  /** The body, without front matter, ends trimmed, line ends as LF. */
  readonly text: string
  /** Of the text and of what the entry points to. Known and lifted hold for an id and this hash (law 15). */
  readonly hash: TextHash
  readonly obeyedWhen: readonly TriggerItem[]
  readonly violatedWhen: readonly TriggerItem[]
}

/** A gate is made of an entry that must be known before the call that it is about. */
export function isGate(entry: Entry): boolean {
  return entry.mustKnow && !entry.forbid
}

export function isPointer(entry: Entry): boolean {
  return entry.read.length > 0
}

/** Order of serving: forbid first, then priority (higher first), then must-know, then id. */
export function byPrecedence(a: Entry, b: Entry): number {
  return (
    Number(b.forbid) - Number(a.forbid) ||
    b.priority - a.priority ||
    Number(b.mustKnow) - Number(a.mustKnow) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}
