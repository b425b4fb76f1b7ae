/**
 * One item of `when`, ready to be tried: all of its conditions must hold, and none of its `not`.
 *
 * Commands and paths are tried one by one, and a `not` on the same key is about the very one that matched: `git push` but
 * `not: git push --dry-run` still speaks for `git push --dry-run && git push`.
 */
import type { TriggerItem } from '../core/entry.ts'
import { usable } from './choices.ts'
import type { Choices } from './choices.ts'
import { commandTest } from './command-condition.ts'
import type { CommandTest } from './command-condition.ts'
import { pathPattern } from './glob.ts'
import type { GlobOptions, PathPattern } from './glob.ts'
import { textPattern } from './text.ts'
import type { Text } from './text.ts'
import { toolPattern } from './tool.ts'
import type { Channel, Phase, SeenCommand, SeenUse, View } from './view.ts'

/** A condition on the moment as a whole. */
export interface Condition {
  readonly key: Channel
  /** For each pattern of the key, what the index may look for; null where the index has no say. */
  readonly choices: readonly Choices[] | null
  isMet(view: View): boolean
}

export interface PathCondition {
  readonly pattern: PathPattern | null
  readonly access: readonly ('read' | 'write')[] | null
}

export interface CompiledItem {
  readonly source: TriggerItem
  /** Null: it can never speak. */
  readonly phase: Phase | null
  readonly conditions: readonly Condition[]
  readonly commands: readonly CommandTest[] | null
  readonly path: PathCondition | null
  readonly not: readonly CompiledItem[]
  /** All that it looks at, its `not` too. */
  readonly channels: readonly Channel[]
  /** The conditions by which the index may find it. */
  readonly lookups: readonly Lookup[]
}

/** A condition that can be looked up: for each of its patterns the choices. */
export interface Lookup {
  readonly channel: IndexedChannel
  readonly patterns: readonly Choices[]
}

export const INDEXED = ['prompt', 'command', 'path', 'content', 'output'] as const satisfies readonly Channel[]
export type IndexedChannel = (typeof INDEXED)[number]

export function compileItem(item: TriggerItem, options: GlobOptions): CompiledItem {
  const conditions = conditionsOf(item)
  const commands = item.command?.map(commandTest) ?? null
  const path =
    item.path || item.access ? { pattern: item.path ? pathPattern(item.path, options) : null, access: item.access ?? null } : null
  const not = (item.not ?? []).map((other) => compileItem(other, options))
  const channels = new Set([...conditions.map(({ key }) => key), ...not.flatMap((other) => other.channels)])
  if (commands) channels.add('command')
  if (path) channels.add('path')
  return {
    source: item,
    phase: phaseOf(item),
    conditions,
    commands,
    path,
    not,
    channels: [...channels],
    lookups: lookupsOf(conditions, commands, path),
  }
}

function lookupsOf(
  conditions: readonly Condition[],
  commands: readonly CommandTest[] | null,
  path: PathCondition | null,
): readonly Lookup[] {
  const lookups: Lookup[] = []
  const add = (channel: Channel, patterns: readonly Choices[] | null) => {
    const indexed = INDEXED.find((one) => one === channel)
    const able = patterns?.map(usable)
    if (indexed && able && able.length > 0 && able.every((choices) => choices.length > 0))
      lookups.push({ channel: indexed, patterns: able })
  }
  for (const { key, choices } of conditions) add(key, choices)
  add('command', commands?.map((test) => test.choices) ?? null)
  add('path', path?.pattern?.choices ?? null)
  return lookups
}

/** An item with `output` or `failed` speaks after the call, one with another key of a call before it. */
export function phaseOf(item: TriggerItem): Phase | null {
  if (item.output || item.failed !== undefined) return 'after'
  if (item.command || item.path || item.access || item.tool || item.content) return 'before'
  if (item.prompt) return 'prompt'
  return item.session ? 'session' : null
}

export function holds(
  item: CompiledItem,
  view: View,
  commands: readonly SeenCommand[] | null = null,
  uses: readonly SeenUse[] | null = null,
): boolean {
  if (isEmpty(item) || !item.conditions.every((condition) => condition.isMet(view))) return false
  const matching = item.commands && metCommands(item, view, commands ?? view.commands)
  if (matching?.length === 0) return false
  const touched = item.path && metUses(item, view, uses ?? view.uses)
  if (touched?.length === 0) return false
  if (item.not.length === 0) return true
  return isFreeOf(item.not, view, matching ?? commands, touched ?? uses)
}

const isEmpty = (item: CompiledItem) => item.conditions.length === 0 && !item.commands && !item.path

/** True if some command and path that matched are spared by every `not`. */
function isFreeOf(
  nots: readonly CompiledItem[],
  view: View,
  commands: readonly SeenCommand[] | null,
  uses: readonly SeenUse[] | null,
): boolean {
  const each = <T>(seen: readonly T[] | null, asked: boolean): readonly (readonly T[] | null)[] =>
    seen && asked ? seen.map((one) => [one]) : [seen]
  const asked = new Set(nots.flatMap(({ channels }) => channels))
  return each(commands, asked.has('command')).some((command) =>
    each(uses, asked.has('path')).some((use) => !nots.some((not) => holds(not, view, command, use))),
  )
}

export function metCommands(item: CompiledItem, view: View, commands: readonly SeenCommand[]): readonly SeenCommand[] {
  return commands.filter((seen) => item.commands?.some((test) => test.isMet(seen, view)))
}

export function metUses(item: CompiledItem, view: View, uses: readonly SeenUse[]): readonly SeenUse[] {
  const { pattern, access } = item.path ?? { pattern: null, access: null }
  return uses.filter((use) => hasAccess(use, access) && (pattern === null || pattern.test(use, view.subject.home, view)))
}

/** What a command does with a path may not be known: that counts only where both would do. */
function hasAccess(use: SeenUse, access: readonly ('read' | 'write')[] | null): boolean {
  if (access === null) return true
  if (use.access === 'unknown') return access.includes('read') && access.includes('write')
  return access.includes(use.access)
}

function conditionsOf(item: TriggerItem): readonly Condition[] {
  const conditions: Condition[] = []
  const { session, tool, failed } = item
  if (session) {
    conditions.push({ key: 'session', choices: null, isMet: ({ subject }) => session.some((one) => subject.sessionTriggers.includes(one)) })
  }
  if (tool) {
    const patterns = tool.map(toolPattern)
    conditions.push({ key: 'tool', choices: null, isMet: ({ call }) => call !== null && patterns.some((isTool) => isTool(call)) })
  }
  if (failed !== undefined) conditions.push({ key: 'failed', choices: null, isMet: (view) => view.failed === failed })
  if (item.prompt) conditions.push(textCondition('prompt', item.prompt, (view) => view.prompt))
  if (item.content) conditions.push(textCondition('content', item.content, (view) => view.content))
  if (item.output) conditions.push(textCondition('output', item.output, (view) => view.output))
  return conditions
}

function textCondition(key: Channel, texts: readonly string[], of: (view: View) => Text | null): Condition {
  const patterns = texts.map(textPattern)
  return {
    key,
    choices: patterns.map(({ choices }) => choices),
    isMet(view) {
      const text = of(view)
      if (text === null) return false
      return patterns.some((pattern) => pattern.test(text, view))
    },
  }
}
