/**
 * Items of `when` that can never fire although each of their keys is in order: keys that contradict each other, the scope, or a `not`
 * that takes away all that they match.
 *
 * Pure. In: an entry. Out: for each such item the key and the reason.
 */
import type { Entry, TriggerItem } from '../core/entry.ts'
import { phaseOf } from '../match/item.ts'

export interface DeadItem {
  readonly item: number
  readonly key: keyof TriggerItem
  readonly reason: string
  readonly cure: string
}

export function deadItems(entry: Entry): readonly DeadItem[] {
  return entry.when.flatMap((item, index) => {
    const found = byTool(item) ?? byNot(item) ?? byAgents(item, entry)
    return found === null ? [] : [{ item: index, ...found }]
  })
}

type Found = Omit<DeadItem, 'item'> | null

/** Canonical tools whose calls are known to have no shell line, and those that have nothing else. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set(['read', 'edit', 'write', 'search', 'fetch'])
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(['shell', 'read', 'search', 'fetch', 'task'])

function byTool(item: TriggerItem): Found {
  const tools = item.tool?.map((tool) => tool.trim().toLowerCase()) ?? []
  const areAll = (known: ReadonlySet<string>): boolean => tools.length > 0 && tools.every((tool) => known.has(tool))
  const named = tools.join(', ')
  if (item.command !== undefined && areAll(WITHOUT_COMMAND))
    return {
      key: 'command',
      reason: `a call of ${named} has no command, so the item never fires`,
      cure: 'leave `tool` out, or write `tool: shell`',
    }
  if (item.content !== undefined && areAll(WITHOUT_CONTENT))
    return {
      key: 'content',
      reason: `a call of ${named} writes no text of its own, so the item never fires`,
      cure: 'write `tool: [edit, write]`',
    }
  if (item.content !== undefined && item.command !== undefined)
    return {
      key: 'content',
      reason: 'a command writes no text that can be seen, so the item never fires',
      cure: 'make two items: any of them may match',
    }
  if (
    item.access?.length === 1 &&
    item.access[0] === 'write' &&
    tools.length > 0 &&
    tools.every((tool) => tool === 'read' || tool === 'search')
  )
    return {
      key: 'access',
      reason: `a call of ${named} writes nothing, so the item never fires`,
      cure: 'write `access: read`, or leave `tool` out',
    }
  return null
}

/** A `not` whose every key wants what the item wants spares everything that the item matches. */
function byNot(item: TriggerItem): Found {
  const takesAll = item.not?.some((not) => {
    const keys = Object.keys(not).filter((key) => key !== 'not') as (keyof TriggerItem)[] // an item's own keys
    return keys.length > 0 && not.not === undefined && keys.every((key) => holdsAll(item[key], not[key]))
  })
  if (takesAll !== true) return null
  return {
    key: 'not',
    reason: 'everything that the item matches is taken away by its `not`, so it never fires',
    cure: 'make the `not` narrower',
  }
}

function holdsAll(wanted: unknown, spared: unknown): boolean {
  if (wanted === undefined || spared === undefined) return false
  if (!Array.isArray(wanted) || !Array.isArray(spared)) return wanted === spared
  // a glob that takes away makes the list of the `not` smaller than it looks
  if (spared.some((value) => String(value).startsWith('!'))) return false
  return wanted.every((value) => spared.includes(value))
}

function byAgents(item: TriggerItem, { scope }: Entry): Found {
  const agents = scope.agents ?? []
  if (agents.length === 0 || phaseOf(item) !== 'session') return null
  const triggers = item.session ?? []
  const isForMain = agents.includes('main')
  const isForSubagents = agents.some((agent) => agent !== 'main')
  if (!isForSubagents && triggers.every((trigger) => trigger === 'subagent'))
    return {
      key: 'session',
      reason: 'a subagent starts, but `scope.agents` is main only: the item never fires',
      cure: 'add subagent to `scope.agents`',
    }
  if (!isForMain && triggers.every((trigger) => trigger !== 'subagent'))
    return {
      key: 'session',
      reason: 'only the main agent has a session start, but `scope.agents` leaves it out: the item never fires',
      cure: 'write `session: subagent`',
    }
  return null
}
