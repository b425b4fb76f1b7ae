/** Logs of sessions for tests: recorded ones, with marked texts in place of recorded words, and rows made by hand. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Fact } from '../../core/fact.ts'
import { id, type CallId, type ClaimId, type TextHash } from '../../core/id.ts'
import { closeMark, openMark } from '../../core/mark.ts'
import type { Watch, WatchedClaim, WatchedFile } from '../../core/watch.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { opencodeRecords } from './records.ts'

const LOGS = fileURLToPath(new URL('./fixtures/log/', import.meta.url))

export function recordedLogs(): readonly string[] {
  return readdirSync(LOGS)
}

/** Rows of a recorded log, with texts replaced as they stand in JSON. */
export function recorded(name: string, texts: Readonly<Record<string, string>> = {}): readonly string[] {
  let log = readFileSync(`${LOGS}${name}.jsonl`, 'utf8').trimEnd()
  for (const [from, to] of Object.entries(texts)) log = log.replaceAll(from, JSON.stringify(to).slice(1, -1))
  return log.split('\n')
}

export function marked(claim: string, text: string): string {
  const named = id<ClaimId>(claim)
  return `${openMark(named, 'Title')}\n${text}\n${closeMark(named)}`
}

// rows made by hand

const row = (type: string, data: object) => JSON.stringify({ type: `${type}.1`, data: { sessionID: 's', ...data } })
const part = (message: string, own: object) => row('message.part.updated', { part: { sessionID: 's', messageID: message, ...own } })

export const user = (message: string) => row('message.updated', { info: { id: message, role: 'user' } })
export const added = (message: string, text: string, more: object = {}) =>
  part(message, { id: `prt_${message}_t`, type: 'text', text, synthetic: true, ...more })
export const step = (message: string, more: object = {}) =>
  row('message.updated', { info: { id: message, role: 'assistant', path: { cwd: '/home/dev/project' }, ...more } })
export const answer = (message: string) => part(message, { id: `prt_${message}_s`, type: 'step-start' })
export const tool = (message: string, call: string, name: string, state: object) =>
  part(message, { id: `prt_${call}`, type: 'tool', callID: call, tool: name, state })
export const ran = (message: string, call: string, command: string, output: string, exit: unknown = 0) =>
  tool(message, call, 'bash', { status: 'completed', input: { command }, output, metadata: { exit }, time: { end: 10 } })
export const failed = (message: string, call: string, error: string, name = 'bash', input: object = {}) =>
  tool(message, call, name, { status: 'error', input, error, time: { end: 10 } })
export const compaction = (message: string, more: object = {}) =>
  part(message, { id: `prt_${message}_c`, type: 'compaction', auto: false, ...more })
/** The summary's message, begun and finished. */
export const summary = (message: string) => [
  step(message, { summary: true }),
  answer(message),
  step(message, { summary: true, time: { completed: 9 } }),
]
export const removed = (message: string, partId?: string) =>
  row(partId === undefined ? 'message.removed' : 'message.part.removed', { messageID: message, partID: partId })

// what is watched

export const claimOf = (
  claim: string,
  text: string,
  place: Partial<WatchedClaim['place']> = {},
  more: Partial<WatchedClaim> = {},
): WatchedClaim => ({
  id: id<ClaimId>(claim),
  textHash: id<TextHash>(createHash('sha256').update(text).digest('hex')),
  form: 'text',
  role: 'plain',
  place: { moment: 'prompt', event: 'chat.message', call: null, way: 'context', ...place },
  ...more,
})

export const fileOf = (path: string, line: string, more: Partial<WatchedFile> = {}): WatchedFile => ({
  path,
  isSame: (other) => other === path,
  hasLineIn: (text) => text.includes(line),
  ...more,
})

export const callId = (call: string) => id<CallId>(call)

/** All facts after these rows. */
export function factsOf(rows: readonly string[], watch: Partial<Watch>, readsIn: ReadsIn = () => []): readonly Fact[] {
  const whole: Watch = { claims: [], files: [], wantsHeld: false, ...watch }
  const scan = opencodeRecords(readsIn).scan()
  for (const line of rows) scan.take(line, whole)
  return scan.facts(whole)
}
