/** What was recorded of the real program, and histories made by hand, for tests. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Claim } from '../../core/claim.ts'
import type { Fact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId, type TextHash } from '../../core/id.ts'
import { closeMark, openMark } from '../../core/mark.ts'
import type { Watch, WatchedClaim, WatchedFile } from '../../core/watch.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { grokRecords } from './records.ts'

const FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url))
/** Not events by themselves: the environment of a hook, the order of hooks, what an ACP client is sent. */
const OTHER_FILES = new Set(['env.pre_tool_use', 'sequence.parallel-batch', 'acp.client-hooks'])

export const HISTORY_PATH = '/home/dev/.grok/sessions/%2Fhome%2Fdev%2Fproject/00000000-0000-7000-8000-000000000001/chat_history.jsonl'

export function recordedEvents(): readonly { readonly name: string; readonly event: unknown }[] {
  return readdirSync(`${FOLDER}events`)
    .map((name) => name.replace(/\.json$/, ''))
    .filter((name) => !OTHER_FILES.has(name))
    .map((name) => ({
      name,
      event: JSON.parse(readFileSync(`${FOLDER}events/${name}.json`, 'utf8')) as unknown, // whatever it is, the decoder has to take it
    }))
}

/** The same event as version 1.0.5 posts it: without the second spelling of its fields. */
export function asOlder(event: unknown): unknown {
  // the recorded events are objects
  return Object.fromEntries(Object.entries(event as object).filter(([key]) => !key.includes('_')))
}

export function recordedHistories(): readonly string[] {
  return readdirSync(`${FOLDER}transcript`)
}

export function recorded(name: string): readonly string[] {
  return readFileSync(`${FOLDER}transcript/${name}`, 'utf8').trimEnd().split('\n')
}

/** A recorded history in which texts are replaced. */
export function withTexts(lines: readonly string[], texts: Readonly<Record<string, string>>): readonly string[] {
  return lines.map((line) => {
    let text = line
    for (const [from, to] of Object.entries(texts)) text = text.replace(from, JSON.stringify(to).slice(1, -1))
    return text
  })
}

export function marked(claim: string, text: string): string {
  const named = id<ClaimId>(claim)
  return `${openMark(named, 'Title')}\n${text}\n${closeMark(named)}`
}

export function hashOf(text: string): TextHash {
  return id<TextHash>(createHash('sha256').update(text).digest('hex'))
}

// lines made by hand

export const says = (text: string) => JSON.stringify({ type: 'assistant', content: text, model_id: 'local-model' })
export const calls = (...made: readonly (readonly [call: string, name: string, input: object])[]) =>
  JSON.stringify({
    type: 'assistant',
    content: '',
    tool_calls: made.map(([call, name, input]) => ({ id: call, name, arguments: JSON.stringify(input) })),
    model_id: 'local-model',
  })
export const shell = (call: string, command: string) => [call, 'run_terminal_command', { command, description: 'd' }] as const
export const result = (call: string, content: string) => JSON.stringify({ type: 'tool_result', tool_call_id: call, content })
export const denied = (call: string, reason: string) => result(call, `Hook denied: ${reason}`)
const user = (text: string, reason: string | null) =>
  JSON.stringify({ type: 'user', content: [{ type: 'text', text }], ...(reason === null ? {} : { synthetic_reason: reason }) })
export const context = (event: string, text: string) =>
  user(
    `<system-reminder>\nContext from ${event} hook 'global/contextmd:pre_tool_use[0].hooks[0]':\n${text}\n</system-reminder>`,
    'system_reminder',
  )
export const atStop = (text: string) => user(text, 'stop_hook_feedback')
export const typed = (text: string) => user(text, null)
export const summary = (text: string) => user(text, 'compaction_meta')

// what is watched

export const claimOf = (claim: string, text: string, place: Partial<Claim['place']>, more: Partial<WatchedClaim> = {}): WatchedClaim => ({
  id: id<ClaimId>(claim),
  textHash: hashOf(text),
  form: 'text',
  role: 'plain',
  place: { moment: 'before-tool', event: 'PreToolUse', call: null, way: 'context', ...place },
  ...more,
})

export const fileOf = (path: string, line: string): WatchedFile => ({
  path,
  isSame: (other) => other === path,
  hasLineIn: (text) => text.includes(line),
})

export const watchOf = (watch: Partial<Watch>): Watch => ({ claims: [], files: [], wantsHeld: false, ...watch })

export const callId = (call: string) => id<CallId>(call)

/** All facts after these lines. */
export function factsOf(lines: readonly string[], watch: Partial<Watch>, readsIn: ReadsIn = () => []): readonly Fact[] {
  const pass = grokRecords(readsIn).scan(HISTORY_PATH)
  for (const line of lines) pass.take(line, watchOf(watch))
  return pass.facts(watchOf(watch))
}
