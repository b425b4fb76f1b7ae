/**
 * Reads a call back from Codex's rollout files.
 *
 * A call of the model stands there by itself, and again when it is done; a call of a script (code mode) only when it is done, so one that
 * was denied there can't be read back.
 */
import { createReadStream } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { namesIn, newestFirst, type Recall, type RecalledCall, type RecallPlace } from '../recall.ts'
import { isObject, listIn, objectIn, textIn, textsOf, type Json } from './json.ts'

/** How Codex words a call that a hook denied (0.171.0, measured). */
const DENIED = /^(?:Command|Tool call) blocked by PreToolUse hook: /

/** What a rollout tells of its thread. */
interface Thread {
  readonly id: string
  readonly session: string
  readonly cwd: string
}

interface Found {
  readonly call: string
  readonly tool: string
  readonly input: Json
  readonly cwd: string | null
  /** What came back; null: nothing yet. */
  readonly response: unknown
  readonly wasDenied: boolean
  readonly at: number | null
}

export const recall: Recall = { files: rollouts, call: recallCall }

/** A subagent's thread has a file of its own; its id is the agent's. */
function rollouts({ env, home }: RecallPlace, session: string | null, agent: string | null): readonly string[] {
  const sessions = join(env['CODEX_HOME'] || join(home, '.codex'), 'sessions')
  const thread = agent ?? session
  const days = namesIn(sessions).flatMap((year) =>
    namesIn(join(sessions, year)).flatMap((month) => namesIn(join(sessions, year, month)).map((day) => join(sessions, year, month, day))),
  )
  const isOfThread = (name: string): boolean => (thread === null ? name.endsWith('.jsonl') : name.endsWith(`-${thread}.jsonl`))
  return newestFirst(days.flatMap((day) => namesIn(day).flatMap((name) => (isOfThread(name) ? [join(day, name)] : []))))
}

async function recallCall(file: string, wanted: string | null): Promise<RecalledCall | null> {
  let thread: Thread | null = null
  let found: Found | null = null
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    const line = parsed(text)
    if (line === null) continue
    const payload = objectIn(line['payload'])
    if (line['type'] === 'session_meta') thread ??= threadIn(payload)
    const made = madeIn(payload, timeOf(line)) ?? doneIn(payload, timeOf(line))
    if (made !== null && (wanted === null || made.call === wanted)) found = merged(found, made)
    else if (found !== null && textIn(payload['call_id']) === found.call) found = withOutput(found, payload)
  }
  return found === null || thread === null ? null : recalled(file, thread, found)
}

function threadIn(payload: Json): Thread | null {
  const id = textIn(payload['id'])
  return id === null ? null : { id, session: textIn(payload['session_id']) ?? id, cwd: textIn(payload['cwd']) ?? '/' }
}

/** A call as the model made it. */
function madeIn(payload: Json, at: number | null): Found | null {
  const call = textIn(payload['call_id'])
  const name = textIn(payload['name'])
  if (call === null || name === null) return null
  const found = { call, response: null, wasDenied: false, cwd: null, at }
  if (payload['type'] === 'custom_tool_call') {
    // a script: its calls are told when they are done
    return name === 'exec' ? null : { ...found, tool: name, input: { command: payload['input'] } }
  }
  if (payload['type'] !== 'function_call') return null
  const input = argumentsIn(payload['arguments'])
  const namespace = textIn(payload['namespace'])
  if (name !== 'exec_command') return { ...found, tool: namespace === null ? name : `${namespace}__${name}`, input }
  return { ...found, tool: 'Bash', input: { command: input['cmd'] }, cwd: textIn(input['workdir']) }
}

/** A call that is done, as it stands in the list of what happened. */
function doneIn(payload: Json, at: number | null): Found | null {
  if (payload['type'] !== 'item_completed') return null
  const item = objectIn(payload['item'])
  const call = textIn(item['id'])
  if (call === null) return null
  const found = { call, wasDenied: false, at }
  switch (item['type']) {
    case 'CommandExecution':
      return {
        ...found,
        tool: 'Bash',
        input: { command: listIn(item['command']).at(-1) },
        cwd: folderIn(item['cwd']),
        response: item['aggregated_output'] ?? '',
      }
    case 'FileChange':
      return { ...found, tool: 'apply_patch', input: { command: patchOf(objectIn(item['changes'])) }, cwd: null, response: item['stdout'] }
    case 'McpToolCall':
      return {
        ...found,
        tool: `mcp__${String(item['server'])}__${String(item['tool'])}`,
        input: objectIn(item['arguments']),
        cwd: null,
        response: item['result'] ?? null,
      }
    default:
      return null
  }
}

/** What is done says nothing better of the call itself than the model did, but for its folder. */
function merged(before: Found | null, next: Found): Found {
  if (before === null || before.call !== next.call) return next
  return { ...before, cwd: next.cwd ?? before.cwd, response: next.response }
}

function withOutput(found: Found, payload: Json): Found {
  if (!String(payload['type']).endsWith('_output')) return found
  const text = textsOf(payload['output']).join('\n')
  return { ...found, wasDenied: DENIED.test(text), response: found.response ?? (DENIED.test(text) ? null : text) }
}

function recalled(file: string, { id, session, cwd }: Thread, found: Found): RecalledCall {
  const folder = found.cwd === null ? cwd : isAbsolute(found.cwd) ? found.cwd : join(cwd, found.cwd)
  const before: Json = {
    hook_event_name: 'PreToolUse',
    session_id: session,
    thread_id: id,
    transcript_path: file,
    cwd: folder,
    tool_name: found.tool,
    tool_input: found.input,
    tool_use_id: found.call,
  }
  const isDone = !found.wasDenied && found.response !== null
  const after = isDone ? { ...before, hook_event_name: 'PostToolUse', tool_response: found.response } : null
  return { call: found.call, file, before, after, wasDenied: found.wasDenied, at: found.at }
}

/** A patch that changes the same files: the text of it does not stand beside what it did. */
function patchOf(changes: Json): string {
  const files = Object.entries(changes).flatMap(([path, change]) => {
    const { type, content, unified_diff: diff } = objectIn(change)
    if (type === 'add')
      return [
        `*** Add File: ${path}`,
        ...String(content)
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `+${line}`),
      ]
    if (type === 'delete') return [`*** Delete File: ${path}`]
    return [`*** Update File: ${path}`, String(diff ?? '').replace(/\n$/, '')]
  })
  return ['*** Begin Patch', ...files, '*** End Patch'].join('\n')
}

function argumentsIn(value: unknown): Json {
  return typeof value === 'string' ? (parsed(value) ?? {}) : objectIn(value)
}

function folderIn(value: unknown): string | null {
  const text = textIn(value)
  return text !== null && text.startsWith('file:') ? fileURLToPath(text) : text
}

function timeOf(line: Json): number | null {
  const at = Date.parse(textIn(line['timestamp']) ?? '')
  return Number.isNaN(at) ? null : at
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
