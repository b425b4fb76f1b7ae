/** What of a line or an event is kept in a recording, and what is prose of the program: `[harness text, N chars]` stands for that. */
import { listIn, objectIn, type Json } from '../../src/harness/json.ts'

/** What the proof rests on. The rest of a line (usage, effort, renderings) proves nothing. */
const KEPT_KEYS: ReadonlySet<string> = new Set(
  (
    'type subtype uuid parentUuid timestamp cwd sessionId version isSidechain message promptId isMeta isCompactSummary requestRef ' +
    'attachment compactMetadata toolUseResult toolDenialKind permissionDecision hash id base keep tail'
  ).split(' '),
)
const KEPT_MESSAGE_KEYS: ReadonlySet<string> = new Set(['id', 'role', 'model', 'content'])
const KEPT_RESULT_KEYS: ReadonlySet<string> = new Set(['type', 'interrupted', 'backgroundTaskId', 'filePath'])

/** Tools whose results are texts of the session itself: what a command printed, what stands in a file. */
const OWN_RESULTS: ReadonlySet<string> = new Set(['Bash', 'Read'])

const PLACEHOLDER = /\{\{(?:answer|reason) \d+\}\}/
/** One text that a hook put in, as the program words it. */
const HOOK_CONTEXT = /^[A-Za-z:]+ hook additional context: \{\{answer \d+\}\}/

/** Null for a line that proves nothing. */
export function keptOf(line: Json): Json | null {
  switch (line['type']) {
    case 'attachment':
      return objectIn(line['attachment'])['type'] === 'hook_additional_context' ? pick(line, KEPT_KEYS) : null
    case 'system':
      return line['subtype'] === 'compact_boundary' ? pick(line, KEPT_KEYS) : null
    case 'user':
    case 'assistant': {
      const result = line['toolUseResult']
      const kept = typeof result === 'object' && result !== null ? pick(objectIn(result), KEPT_RESULT_KEYS) : result
      return {
        ...pick(line, KEPT_KEYS),
        message: pick(objectIn(line['message']), KEPT_MESSAGE_KEYS),
        ...(kept === undefined ? {} : { toolUseResult: kept }),
      }
    }
    case 'api-request':
      return pick(line, KEPT_KEYS)
    case 'api-request-blob':
      return { ...pick(line, KEPT_KEYS), message: pick(objectIn(line['message']), KEPT_MESSAGE_KEYS) }
    default:
      return null
  }
}

/** True if a text of our server stands in it. */
export function isOurs(value: unknown): boolean {
  return PLACEHOLDER.test(JSON.stringify(value))
}

/** `tools` learns which call is of which tool. Our texts must be placeholders by now. */
export function withoutProse(value: Json, tools: Map<string, string>, prompts: readonly string[]): Json {
  switch (value['type']) {
    case 'assistant':
      for (const { type, id, name } of blocksOf(value)) if (type === 'tool_use') tools.set(String(id), String(name))
      return value
    case 'user': {
      const content = objectIn(value['message'])['content']
      if (typeof content === 'string') return withContent(value, prompts.includes(content) ? content : leftOut(content))
      const blocks = blocksOf(value).map((block) => withoutProseOfResult(block, tools))
      return {
        ...withContent(value, blocks),
        ...(typeof value['toolUseResult'] === 'string' ? { toolUseResult: leftOut(value['toolUseResult']) } : {}),
      }
    }
    case 'system':
      return value
    case 'api-request-blob':
      return withContent(
        value,
        blocksOf(value).map((block) => ({ ...block, text: contextsIn(String(block['text'])) })),
      )
    default:
      return withoutProseOfBatch(value)
  }
}

function withoutProseOfResult(block: Json, tools: ReadonlyMap<string, string>): Json {
  const content = block['content']
  if (typeof content !== 'string' || OWN_RESULTS.has(tools.get(String(block['tool_use_id'])) ?? '') || isOurs(content)) return block
  return { ...block, content: leftOut(content) }
}

/** A batch end tells what the model gets for each call. */
function withoutProseOfBatch(event: Json): Json {
  if (event['hook_event_name'] !== 'PostToolBatch') return event
  const calls = listIn(event['tool_calls']).map((value) => {
    const call = objectIn(value)
    const { tool_name: tool, tool_response: text } = call
    return OWN_RESULTS.has(String(tool)) || isOurs(text) || typeof text !== 'string' ? call : { ...call, tool_response: leftOut(text) }
  })
  return { ...event, tool_calls: calls }
}

/** Texts of hooks and prose of the program stand in one message, parted by empty lines. */
function contextsIn(text: string): string {
  const parts = text.split(/\n\n/)
  const kept: string[] = []
  let prose: string[] = []
  const close = (): void => {
    if (prose.length > 0) kept.push(leftOut(prose.join('\n\n')))
    prose = []
  }
  for (const part of parts) {
    const context = HOOK_CONTEXT.exec(part)
    if (context === null) prose.push(part)
    else {
      close()
      kept.push(context[0])
      if (part.length > context[0].length) prose.push(part.slice(context[0].length))
    }
  }
  close()
  return kept.join('\n\n')
}

function leftOut(text: string): string {
  return `[harness text, ${text.length} chars]`
}

function withContent(line: Json, content: unknown): Json {
  return { ...line, message: { ...objectIn(line['message']), content } }
}

function blocksOf(line: Json): readonly Json[] {
  return listIn(objectIn(line['message'])['content']).map(objectIn)
}

function pick(value: Json, keys: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.has(key)))
}
