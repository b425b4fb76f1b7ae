/** Checks what an entry means, once its shape is right: conditions that can't be met, gates that nothing can hold. */
import { checkTrigger } from '../match/check.ts'
import { phaseOf } from '../match/item.ts'
import type { EntryShape, ItemShape } from './entry-schema.ts'
import { oneOrMany, triggerItem } from './entry-fields.ts'

export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly path: readonly PropertyKey[]
  readonly reason: string
  readonly cure: string
}

const ITEM_LISTS = ['when', 'obeyed-when', 'violated-when'] as const

export function checkEntry(shape: EntryShape): readonly Finding[] {
  return [...ITEM_LISTS.flatMap((list) => checkItems(list, shape[list])), ...checkGate(shape), ...lateItems(shape)]
}

function checkItems(list: string, items: EntryShape['when'] | undefined): readonly Finding[] {
  return oneOrMany<ItemShape>(items ?? []).flatMap((item, index) => {
    const path = Array.isArray(items) ? [list, index] : [list]
    return checkTrigger(triggerItem(item)).map(({ key, message, hint }): Finding => {
      const isWritten = item[key] !== undefined
      return {
        code: 'entry_bad_condition',
        severity: 'error',
        path: isWritten ? [...path, key] : path,
        reason: isWritten ? `\`${key}\`: ${message}` : message,
        cure: hint,
      }
    })
  })
}

/** Only a call can be held or forbidden, and only before it runs. */
function checkGate(shape: EntryShape): readonly Finding[] {
  const key = shape.forbid ? 'forbid' : shape['must-know'] ? 'must-know' : null
  if (key === null || oneOrMany<ItemShape>(shape.when).some(isBeforeCall)) return []
  return [
    {
      code: 'entry_never_holds',
      severity: 'warning',
      path: [key],
      reason: `\`${key}\` acts before a call, and no item of \`when\` matches there: nothing is ever ${key === 'forbid' ? 'forbidden' : 'held'}`,
      cure: 'add an item with command, path, tool or content, and without output and failed',
    },
  ]
}

function isBeforeCall(item: ItemShape): boolean {
  return phaseOf(triggerItem(item)) === 'before'
}

/** In no harness does plain text reach the model before the call runs: its author should know. */
function lateItems(shape: EntryShape): readonly Finding[] {
  if (shape['must-know'] || shape.forbid) return []
  const index = oneOrMany<ItemShape>(shape.when).findIndex((item) => isBeforeCall(item) && isAboutActing(item))
  if (index === -1) return []
  return [
    {
      code: 'entry_arrives_late',
      severity: 'info',
      path: Array.isArray(shape.when) ? ['when', index] : ['when'],
      reason: "plain text reaches the agent with the call's result, after the call ran",
      cure: 'add `must-know: true` if the agent has to know it before',
    },
  ]
}

function isAboutActing(item: ItemShape): boolean {
  return (
    item.command !== undefined ||
    item.content !== undefined ||
    oneOrMany<string>(item.access ?? [])
      .join()
      .includes('write')
  )
}
