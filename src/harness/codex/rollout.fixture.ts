/** Rollout files for tests: recorded ones, with marked texts in place of the recorded ones, and lines made by hand. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Fact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId, type TextHash } from '../../core/id.ts'
import { closeMark, openMark } from '../../core/mark.ts'
import type { Claim } from '../../core/claim.ts'
import type { Watch, WatchedClaim, WatchedFile } from '../../core/watch.ts'
import { codexRecords } from './records.ts'
import type { ReadsIn } from './records-reads.ts'

const FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url))

/** Files that hold several events are taken apart: `NAME.0`, `NAME.1`. */
export function recordedEvents(): readonly { readonly name: string; readonly event: unknown }[] {
  return readdirSync(`${FOLDER}events`).flatMap((file) => {
    const name = file.replace(/\.json$/, '')
    // whatever it is, the decoder has to take it
    const event = JSON.parse(readFileSync(`${FOLDER}events/${file}`, 'utf8')) as unknown
    return Array.isArray(event) ? event.map((one: unknown, at) => ({ name: `${name}.${at}`, event: one })) : [{ name, event }]
  })
}

export function recordedRollouts(): readonly string[] {
  return readdirSync(`${FOLDER}transcript`)
}

export function recorded(name: string): readonly string[] {
  return readFileSync(`${FOLDER}transcript/${name}.jsonl`, 'utf8').trimEnd().split('\n')
}

/** A recorded rollout in which texts are replaced. */
export function withTexts(lines: readonly string[], texts: Readonly<Record<string, string>>): readonly string[] {
  return lines.map((line) => {
    let text = line
    for (const [from, to] of Object.entries(texts)) text = text.replaceAll(from, JSON.stringify(to).slice(1, -1))
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

// lines

let ordinal = 0

function line(type: string, payload: object, metadata?: object, timestamp = '2026-01-05T09:00:00.000Z'): string {
  return JSON.stringify({ timestamp, ordinal: (ordinal += 1), type, payload, ...(metadata === undefined ? {} : { metadata }) })
}

function item(payload: object, at: number, through: number): string {
  return line('response_item', payload, { history_sequence: at, sampled_through_sequence: through, client_authored: false })
}

/** Its id is `i` and its number. */
export const context = (at: number, through: number, text: string) =>
  item(
    {
      type: 'message',
      id: `i${at}`,
      role: 'developer',
      content: [{ type: 'input_text', text }],
      internal_chat_message_metadata_passthrough: { content_item_kinds: ['hooks.additional_context'] },
    },
    at,
    through,
  )
export const typed = (at: number, through: number, text: string, role = 'user') =>
  item({ type: 'message', id: `i${at}`, role, content: [{ type: 'input_text', text }] }, at, through)
export const says = (at: number, through: number, text = 'x') =>
  item({ type: 'message', id: `i${at}`, role: 'assistant', content: [{ type: 'output_text', text }] }, at, through)
export const shell = (at: number, through: number, call: string, command: string) =>
  item(
    { type: 'function_call', id: `i${at}`, call_id: call, name: 'exec_command', arguments: JSON.stringify({ cmd: command }) },
    at,
    through,
  )
export const script = (at: number, through: number, call: string, code: string) =>
  item({ type: 'custom_tool_call', id: `i${at}`, call_id: call, name: 'exec', input: code }, at, through)
export const output = (at: number, through: number, call: string, text: string) =>
  item({ type: 'function_call_output', id: `i${at}`, call_id: call, output: text }, at, through)
export const printed = (at: number, through: number, call: string, ...texts: readonly string[]) =>
  item(
    { type: 'custom_tool_call_output', id: `i${at}`, call_id: call, output: texts.map((text) => ({ type: 'input_text', text })) },
    at,
    through,
  )
export const ranShell = (call: string, command: string, exitCode: number | null, timestamp?: string) =>
  line(
    'event_msg',
    {
      type: 'item_completed',
      item: {
        type: 'CommandExecution',
        id: call,
        command: ['/bin/bash', '-lc', command],
        cwd: 'file:///home/dev/project',
        exit_code: exitCode,
      },
    },
    undefined,
    timestamp,
  )
export const patched = (call: string, changes: object, status = 'completed') =>
  line('event_msg', { type: 'item_completed', item: { type: 'FileChange', id: call, changes, status } })
export const ranTool = (call: string, tool: string, text: string, more: object = {}, timestamp?: string) =>
  line(
    'event_msg',
    {
      type: 'item_completed',
      item: {
        type: 'McpToolCall',
        id: call,
        server: 'contextmd',
        tool,
        status: 'completed',
        result: { content: [{ type: 'text', text }] },
        ...more,
      },
    },
    undefined,
    timestamp,
  )
export const compacted = (window: string, ...kept: readonly string[]) =>
  line('compacted', { message: 'Summary.', replacement_history: kept.map((id) => ({ type: 'message', id })), window_id: window })

// what is watched

export const claimOf = (claim: string, text: string, place: Partial<Claim['place']>, more: Partial<WatchedClaim> = {}): WatchedClaim => ({
  id: id<ClaimId>(claim),
  textHash: hashOf(text),
  form: 'text',
  role: 'plain',
  place: { moment: 'before-tool', event: 'PreToolUse', call: null, way: 'context', ...place },
  ...more,
})

export const fileOf = (path: string, lineOfIt: string, more: Partial<WatchedFile> = {}): WatchedFile => ({
  path,
  isSame: (other) => other === path,
  hasLineIn: (text) => text.includes(lineOfIt),
  ...more,
})

export const callId = (call: string) => id<CallId>(call)
export const watchOf = (watch: Partial<Watch>): Watch => ({ claims: [], files: [], wantsHeld: false, ...watch })
export const scan = (readsIn: ReadsIn = () => []) => codexRecords(readsIn).scan()

/** All facts after these lines. */
export function factsOf(lines: readonly string[], watch: Partial<Watch>, readsIn: ReadsIn = () => []): readonly Fact[] {
  const pass = scan(readsIn)
  for (const text of lines) pass.take(text, watchOf(watch))
  return pass.facts(watchOf(watch))
}

/** Number of lines after which a claim is proven; null: never. */
export function provenAfter(lines: readonly string[], claim: WatchedClaim): number | null {
  const at = lines.findIndex((_, index) =>
    factsOf(lines.slice(0, index + 1), { claims: [claim] }).some(
      (fact) => fact.kind === 'claim' && fact.found === 'whole' && fact.answered,
    ),
  )
  return at === -1 ? null : at + 1
}
