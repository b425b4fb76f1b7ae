/** Claude Code's tools in the common words: canonical names, the files that a call names, what it is about to write, its result. */
import { isAbsolute, resolve } from 'node:path'
import { id, type CallId } from '../../core/id.ts'
import type { PathUse, ToolCall, ToolName, ToolResult } from '../../core/moment.ts'
import { isObject, listIn, objectIn, textIn, textsOf, type Json } from '../json.ts'

/** Canonical names. Tools that are not here keep their own. */
const TOOLS: Readonly<Record<string, ToolName>> = {
  Bash: 'shell',
  Read: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'write',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Task: 'task',
  Agent: 'task',
}

const MCP_PREFIX = 'mcp__'

/** Resolves symlinks and `..` of an absolute path as far as it exists. */
export type Real = (path: string) => string

export function canonicalTool(name: string, mcpServer: string | null): ToolName {
  if (Object.hasOwn(TOOLS, name)) return TOOLS[name] ?? name
  if (!name.startsWith(MCP_PREFIX)) return name
  const rest = name.slice(MCP_PREFIX.length)
  const split = serverLength(rest, mcpServer)
  return split === null ? name : `mcp:${rest.slice(0, split)}/${rest.slice(split + 2)}`
}

/** A server's name may hold `__` itself: the event's own word for it decides, else the first `__` does. */
function serverLength(rest: string, mcpServer: string | null): number | null {
  // the harness writes every other character of a server's name as `_`
  const spelled = mcpServer?.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (spelled !== undefined && rest.startsWith(`${spelled}__`)) return spelled.length
  const at = rest.indexOf('__', 1)
  return at === -1 || at + 2 === rest.length ? null : at
}

/** The call of a tool event; null if the event does not even name its tool. */
export function callOf(event: Json, cwd: string, real: Real): ToolCall | null {
  const name = textIn(event['tool_name'])
  if (name === null) return null
  const input = objectIn(event['tool_input'])
  const tool = canonicalTool(name, textIn(objectIn(event['mcp_server'])['name']))
  const callId = textIn(event['tool_use_id'])
  const command = tool === 'shell' ? textIn(input['command']) : null
  const content = contentOf(name, input)
  return {
    id: callId === null ? null : id<CallId>(callId),
    tool,
    harnessTool: name,
    cwd,
    paths: pathsOf(name, input, cwd, real),
    ...(command === null ? {} : { command }),
    ...(content === null ? {} : { content }),
  }
}

function pathsOf(name: string, input: Json, cwd: string, real: Real): readonly PathUse[] {
  const use = (key: string, access: PathUse['access'], isWhole = false): readonly PathUse[] => {
    const named = textIn(input[key])
    if (named === null) return []
    const path = isAbsolute(named) ? named : resolve(cwd, named)
    return [{ path, real: real(path), access, ...(isWhole ? { whole: true } : {}) }]
  }
  switch (name) {
    case 'Read':
      return use('file_path', 'read')
    case 'Edit':
    case 'MultiEdit':
      return use('file_path', 'write')
    case 'NotebookEdit':
      return use('notebook_path', 'write')
    case 'Write':
      return use('file_path', 'write', true)
    case 'Grep':
    case 'Glob':
      return use('path', 'read')
    default:
      return []
  }
}

function contentOf(name: string, input: Json): string | null {
  switch (name) {
    case 'Write':
      return textIn(input['content'])
    case 'Edit':
      return textIn(input['new_string'])
    case 'NotebookEdit':
      return textIn(input['new_source'])
    case 'MultiEdit': {
      const texts = listIn(input['edits']).flatMap((edit) => textIn(objectIn(edit)['new_string']) ?? [])
      return texts.length === 0 ? null : texts.join('\n')
    }
    default:
      return null
  }
}

/** A result as text: the harness gives an object of the tool after the call, and the text for the model at the batch's end. */
export function outputOf(response: unknown): string {
  if (typeof response === 'string') return response
  if (Array.isArray(response)) return textsOf(response).join('\n')
  if (!isObject(response)) return response === undefined || response === null ? '' : JSON.stringify(response)
  const { stdout, stderr, file, content } = response
  if (typeof stdout === 'string' || typeof stderr === 'string') {
    return [stdout, stderr].filter((part) => typeof part === 'string' && part !== '').join('\n')
  }
  const fileText = objectIn(file)['content']
  if (typeof fileText === 'string') return fileText
  if (Array.isArray(content)) return textsOf(content).join('\n')
  return JSON.stringify(response)
}

/** Of a failure the harness tells one text. A person's interruption is no failure of the call. */
export function failureOf(event: Json): ToolResult {
  const output = textIn(event['error']) ?? ''
  if (event['is_interrupt'] === true) return { state: 'unknown', output }
  const exitCode = exitCodeIn(output)
  return { state: 'failed', output, ...(exitCode === null ? {} : { exitCode }) }
}

/** The exit code with which the text of a failed shell call begins; null if it does not. */
function exitCodeIn(text: string): number | null {
  const digits = /^(?:Error: )?Exit code (\d{1,10})(?!\d)/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}
