/** Checks what an entry means, once its shape is right: conditions that can't meet, patterns, gates that nothing can hold. */
import { NOT_YET_IN_FORCE, type EntryShape, type ItemShape } from './entry-schema.ts'
import { oneOrMany } from './entry-fields.ts'
import { regexMistake, regexSource } from '../match/regex.ts'

export interface Finding {
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly path: readonly PropertyKey[]
  readonly reason: string
  readonly cure: string
}

const TEXT_CONDITIONS = ['prompt', 'command', 'content', 'output'] as const
const CALL_CONDITIONS = ['command', 'path', 'access', 'tool', 'content', 'output', 'failed'] as const

export function checkEntry(shape: EntryShape): readonly Finding[] {
  const lists = ['when', 'obeyed-when', 'violated-when'] as const
  return [
    ...lists.flatMap((key) =>
      oneOrMany<ItemShape>(shape[key] ?? []).flatMap((item, index) => checkItem(item, Array.isArray(shape[key]) ? [key, index] : [key])),
    ),
    ...checkGate(shape),
    ...lateItems(shape),
    ...notYetInForce(shape, []),
  ]
}

function checkItem(item: ItemShape, path: readonly PropertyKey[]): readonly Finding[] {
  const findings: Finding[] = []
  const add = (code: string, reason: string, cure: string, at: readonly PropertyKey[] = path): void => {
    findings.push({ code, severity: 'error', path: at, reason, cure })
  }
  const onCalls = CALL_CONDITIONS.filter((key) => item[key] !== undefined)
  if (Object.keys(item).length === 0) add('entry_empty_item', 'an item of `when` has no condition', 'add a condition, or remove it')
  else if (onCalls.length === 0 && item.session === undefined && item.prompt === undefined)
    add('entry_never_fires', '`not` alone never matches', 'add the condition that it is an exception to')
  if (item.session !== undefined && item.prompt !== undefined)
    add('entry_never_fires', 'no moment is both a session start and a prompt', 'make two items of it')
  for (const key of ['session', 'prompt'] as const) {
    if (item[key] === undefined || onCalls.length === 0) continue
    add('entry_never_fires', `\`${key}\` and \`${onCalls[0]}\` never match at one moment`, 'make two items of it')
  }
  if (item.access !== undefined && item.path === undefined) add('entry_access_without_path', '`access` needs a `path`', "add path: '**'")
  for (const key of TEXT_CONDITIONS) {
    for (const pattern of oneOrMany<string | number>(item[key] ?? [])) {
      const source = regexSource(String(pattern).trim())
      const mistake = source === null ? null : regexMistake(source)
      if (mistake !== null) add('entry_bad_pattern', `\`${key}\` has a bad pattern: ${mistake}`, 'mend the /regex/', [...path, key])
    }
  }
  for (const [index, exception] of oneOrMany(item.not ?? []).entries()) {
    findings.push(...checkItem(exception, [...path, 'not', ...(Array.isArray(item.not) ? [index] : [])]))
  }
  return findings
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
  const isOnCall = item.command !== undefined || item.path !== undefined || item.tool !== undefined || item.content !== undefined
  return isOnCall && item.output === undefined && item.failed === undefined
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

function notYetInForce(value: unknown, path: readonly PropertyKey[]): readonly Finding[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    const meanwhile = Object.hasOwn(NOT_YET_IN_FORCE, key) ? NOT_YET_IN_FORCE[key] : undefined
    if (meanwhile === undefined) return notYetInForce(inner, at)
    const reason = `\`${key}\` is not yet in force: ${meanwhile}`
    return [{ code: 'entry_not_yet_in_force', severity: 'info', path: at, reason, cure: 'nothing to do; it will count in a later version' }]
  })
}
