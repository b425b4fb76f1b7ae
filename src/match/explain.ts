/**
 * Why an entry speaks at a moment, or why not: condition by condition, with what was seen.
 *
 * For people who ask (`contextmd try`); nothing of it is stored or logged.
 */
import type { Entry, TriggerItem } from '../core/entry.ts'
import { isExpired } from './compiled.ts'
import type { MatchOptions } from './compiled.ts'
import { compileItem, holds, metCommands, metUses } from './item.ts'
import type { CompiledItem, Condition } from './item.ts'
import type { Subject } from './match.ts'
import { scopeTest } from './scope.ts'
import type { ScopeKey } from './scope.ts'
import { View } from './view.ts'
import type { Phase } from './view.ts'

export interface ConditionReport {
  /** A key of the item, `moment` for when it speaks, or the part of the entry that keeps it out of force. */
  readonly key: keyof TriggerItem | ScopeKey | 'moment' | 'expires'
  readonly wanted: string
  readonly seen: string
  readonly matched: boolean
}

export interface ItemReport {
  readonly item: number
  readonly matched: boolean
  readonly conditions: readonly ConditionReport[]
}

export interface Explanation {
  readonly matched: boolean
  /** What keeps the entry out of force here, whatever its items say. */
  readonly outside: readonly ConditionReport[]
  readonly items: readonly ItemReport[]
  readonly notAnalysed: string | null
}

/** Longer texts are cut for the screen. */
const SHOWN_CHARACTERS = 300

export function explain(entry: Entry, subject: Subject, { ignorePathCase = false }: MatchOptions = {}): Explanation {
  const view = new View(subject)
  const items = entry.when.map((item, index) => itemReport(compileItem(item, { ignoreCase: ignorePathCase }), index, view))
  const outside = outsideReports(entry, view)
  const asked = new Set(entry.when.flatMap((item) => Object.keys(item)))
  return {
    matched: outside.length === 0 && items.some(({ matched }) => matched),
    outside,
    items,
    notAnalysed: view.notAnalysed(new Set((['prompt', 'command', 'path', 'content', 'output'] as const).filter((key) => asked.has(key)))),
  }
}

function outsideReports(entry: Entry, view: View): readonly ConditionReport[] {
  const { subject } = view
  const reports: ConditionReport[] = []
  if (isExpired(entry, subject)) {
    reports.push({
      key: 'expires',
      wanted: new Date(entry.expires ?? 0).toISOString(),
      seen: new Date(subject.at).toISOString(),
      matched: false,
    })
  }
  const key = scopeTest(entry.scope).outside(subject, view.projectNames)
  if (key !== null) reports.push({ key, wanted: (entry.scope[key] ?? []).join(', '), seen: seenScope(key, subject), matched: false })
  return reports
}

function seenScope(key: ScopeKey, { moment, project }: Subject): string {
  if (key === 'harnesses') return moment.harness
  if (key === 'agents') return moment.agent === null ? 'main' : `subagent ${moment.agentType ?? ''}`.trim()
  return [...project.roots, ...project.remotes].join(', ')
}

function itemReport(item: CompiledItem, index: number, view: View): ItemReport {
  const speaks = item.phase !== null && view.phases.includes(item.phase)
  const conditions: ConditionReport[] = [
    { key: 'moment', wanted: wantedMoment(item.phase), seen: view.subject.moment.kind, matched: speaks },
    ...item.conditions.map((condition) => conditionReport(condition, item.source, view)),
  ]
  if (item.commands) {
    const seen = view.commands.map(({ normal }) => normal.text).join(' ⏎ ')
    conditions.push({
      key: 'command',
      wanted: wanted(item.source.command),
      seen: short(seen),
      matched: metCommands(item, view, view.commands).length > 0,
    })
  }
  if (item.path) conditions.push(pathReport(item, view))
  const matched = speaks && holds(item, view)
  for (const not of item.not) {
    conditions.push({
      key: 'not',
      wanted: JSON.stringify(not.source),
      seen: holds(not, view) ? 'it matches' : 'it does not match',
      matched: matched || !holds(not, view),
    })
  }
  return { item: index, matched, conditions }
}

function wantedMoment(phase: Phase | null): string {
  switch (phase) {
    case 'session':
      return 'a session start'
    case 'prompt':
      return "a person's prompt"
    case 'before':
      return 'before a call'
    case 'after':
      return 'after a call'
    case null:
      return 'none: the item has no key that speaks'
    default:
      return phase satisfies never
  }
}

function pathReport(item: CompiledItem, view: View): ConditionReport {
  const { path, access } = item.source
  const seen = view.uses.map((use) => `${use.access} ${use.relative[0] ?? use.absolute[0] ?? ''}`).join(', ')
  return {
    key: path ? 'path' : 'access',
    wanted: [wanted(path), access ? `access ${access.join(' or ')}` : ''].filter((part) => part !== '').join('; '),
    seen: short(seen),
    matched: metUses(item, view, view.uses).length > 0,
  }
}

function conditionReport(condition: Condition, item: TriggerItem, view: View): ConditionReport {
  const { key } = condition
  const value = key === 'failed' ? String(item.failed) : wanted(item[key])
  return { key, wanted: value, seen: short(seenOf(key, view)), matched: condition.isMet(view) }
}

function seenOf(key: Condition['key'], view: View): string {
  switch (key) {
    case 'session':
      return view.subject.sessionTriggers.join(', ')
    case 'prompt':
      return view.prompt?.raw ?? ''
    case 'tool':
      return view.call ? `${view.call.tool} (${view.call.harnessTool})` : ''
    case 'content':
      return view.content?.raw ?? ''
    case 'output':
      return view.output?.raw ?? ''
    case 'failed':
      return view.failed === null ? 'the call has not ended' : String(view.failed)
    case 'command':
    case 'path':
      return ''
    default:
      return key satisfies never
  }
}

const wanted = (values: readonly string[] | undefined) => (values ?? []).join(' or ')

function short(text: string): string {
  if (text === '') return 'nothing'
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`
}
