/** Session files for tests: recorded ones, with marked texts in place of the recorded rules, and lines made by hand. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Claim } from '../../core/claim.ts'
import type { Fact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId, type TextHash } from '../../core/id.ts'
import { closeMark, openMark } from '../../core/mark.ts'
import type { Watch, WatchedClaim, WatchedFile } from '../../core/watch.ts'
import { claudeRecords } from './records.ts'
import { messageHash } from './records-hash.ts'
import type { ReadsIn } from './records-reads.ts'

const FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url))

export function recordedEvents(): readonly { readonly name: string; readonly event: unknown }[] {
  return readdirSync(`${FOLDER}events`).map((name) => ({
    name: name.replace(/\.json$/, ''),
    event: JSON.parse(readFileSync(`${FOLDER}events/${name}`, 'utf8')) as unknown, // whatever it is, the decoder has to take it
  }))
}

export function recordedSessions(): readonly string[] {
  return readdirSync(`${FOLDER}transcript`).filter((name) => name.endsWith('.jsonl'))
}

export function recorded(name: string): readonly string[] {
  return readFileSync(`${FOLDER}transcript/${name}`, 'utf8').trimEnd().split('\n')
}

export function marked(claim: string, text: string): string {
  const named = id<ClaimId>(claim)
  return `${openMark(named, 'Title')}\n${text}\n${closeMark(named)}`
}

export function hashOf(text: string): TextHash {
  return id<TextHash>(createHash('sha256').update(text).digest('hex'))
}

/** A recorded session in which texts are replaced, with the hashes of its messages made anew. */
export function withTexts(lines: readonly string[], texts: Readonly<Record<string, string>>): readonly string[] {
  const hashes = new Map<string, string>()
  const replaced = lines.map((line) => {
    let text = line
    for (const [from, to] of Object.entries(texts)) text = text.replaceAll(from, JSON.stringify(to).slice(1, -1))
    const before = JSON.parse(line)
    const after = JSON.parse(text)
    if (after.type === 'user') hashes.set(messageHash('user', blocksOf(before)), messageHash('user', blocksOf(after)))
    if (after.type !== 'api-request-blob') return text
    hashes.set(before.hash, hashOf(text))
    return JSON.stringify({ ...after, hash: hashOf(text) })
  })
  return replaced.map((line) => {
    const value = JSON.parse(line)
    if (value.type !== 'api-request') return line
    return JSON.stringify({ ...value, tail: value.tail.map((hash: string) => hashes.get(hash) ?? hash) })
  })
}

function blocksOf(line: { message: { content: unknown } }): readonly unknown[] {
  const { content } = line.message
  return Array.isArray(content) ? content : [{ type: 'text', text: content }]
}

export const without = (lines: readonly string[], ...types: readonly string[]) =>
  lines.filter((line) => !types.includes(JSON.parse(line).type))

// lines made by hand

let count = 0
const rest = () => ({ uuid: `uuid-${(count += 1)}`, cwd: '/home/dev/project', sessionId: 's', version: '2.1.332', isSidechain: false })

export const reply = (ref: string, ...content: readonly unknown[]) =>
  JSON.stringify({ type: 'assistant', message: { id: `msg-${ref}`, role: 'assistant', content }, requestRef: ref, ...rest() })
export const says = (text: string) => ({ type: 'text', text })
export const calls = (call: string, name: string, input: object) => ({ type: 'tool_use', id: call, name, input })
export const bash = (call: string, command: string) => calls(call, 'Bash', { command })

export const result = (call: string | null, content: unknown, more: object = {}) =>
  JSON.stringify({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call ?? undefined, content, is_error: false }] },
    toolUseResult: { stdout: content, interrupted: false },
    permissionDecision: { decision: 'accept' },
    timestamp: '2026-01-05T09:00:00.000Z',
    ...rest(),
    ...more,
  })
export const failed = (call: string, content: string) =>
  JSON.stringify({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content, is_error: true }] },
    toolUseResult: `Error: ${content}`,
    permissionDecision: { decision: 'accept' },
    ...rest(),
  })
export const denied = (call: string, reason: string) =>
  JSON.stringify({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call, content: `PreToolUse:Bash hook error: ${reason}`, is_error: true }],
    },
    toolDenialKind: 'permission-rule',
    permissionDecision: { decision: 'reject', source: 'hook' },
    ...rest(),
  })
export const context = (event: string, call: string, text: string, uuid = `uuid-${(count += 1)}`) =>
  JSON.stringify({
    type: 'attachment',
    attachment: { type: 'hook_additional_context', content: [text], hookName: event, toolUseID: call, hookEvent: event },
    ...rest(),
    uuid,
  })
export const blob = (hash: string, role: string, ...content: readonly unknown[]) =>
  JSON.stringify({ type: 'api-request-blob', hash, message: { role, content } })
export const request = (ref: string, base: string | null, keep: number, ...tail: readonly string[]) =>
  JSON.stringify({ type: 'api-request', id: ref, base: base ?? undefined, keep, tail })
export const boundary = (uuid: string, ...preserved: readonly string[]) =>
  JSON.stringify({
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'auto', preservedMessages: { uuids: preserved } },
    ...rest(),
    uuid,
  })

// what is watched

export const claimOf = (claim: string, text: string, place: Partial<Claim['place']>, more: Partial<WatchedClaim> = {}): WatchedClaim => ({
  id: id<ClaimId>(claim),
  textHash: hashOf(text),
  form: 'text',
  role: 'plain',
  place: { moment: 'before-tool', event: 'PreToolUse', call: null, way: 'context', ...place },
  ...more,
})

export const fileOf = (path: string, line: string, more: Partial<WatchedFile> = {}): WatchedFile => ({
  path,
  isSame: (other) => other === path,
  hasLineIn: (text) => text.includes(line),
  ...more,
})

export const watchOf = (watch: Partial<Watch>): Watch => ({ claims: [], files: [], wantsHeld: false, ...watch })

export const callId = (call: string) => id<CallId>(call)

export const scan = (readsIn: ReadsIn = () => []) => claudeRecords(readsIn).scan()

/** All facts after these lines. */
export function factsOf(lines: readonly string[], watch: Partial<Watch>, readsIn: ReadsIn = () => []): readonly Fact[] {
  const pass = scan(readsIn)
  for (const line of lines) pass.take(line, watchOf(watch))
  return pass.facts(watchOf(watch))
}
