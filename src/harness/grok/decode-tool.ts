/** Grok Build's tools in the common words: canonical names, the files that a call names, what it is about to write. */
import { isAbsolute, resolve } from 'node:path'
import { id, type CallId } from '../../core/id.ts'
import type { PathUse, ToolCall, ToolName } from '../../core/moment.ts'
import { isObject, textIn, type Json } from '../json.ts'
import { partialObject } from './partial-json.ts'

/** Canonical names. Tools that are not here keep their own. */
const TOOLS: Readonly<Record<string, ToolName>> = {
  run_terminal_command: 'shell',
  monitor: 'shell',
  read_file: 'read',
  search_replace: 'edit',
  write: 'write',
  grep: 'search',
  list_dir: 'search',
  web_fetch: 'fetch',
  web_search: 'fetch',
  spawn_subagent: 'task',
}

/** Between a server's name and its tool's. No tool of the harness itself has it in its name. */
const MCP_SPLIT = '__'

/** Resolves symlinks and `..` of an absolute path as far as it exists. */
export type Real = (path: string) => string

/** A server's name may hold the split itself; then the event's own word for it, where there is one, decides. */
export function canonicalTool(name: string, mcpServer: string | null): ToolName {
  if (Object.hasOwn(TOOLS, name)) return TOOLS[name] ?? name
  const at = mcpServer !== null && name.startsWith(`${mcpServer}${MCP_SPLIT}`) ? mcpServer.length : name.indexOf(MCP_SPLIT, 1)
  return at === -1 || at + MCP_SPLIT.length === name.length ? name : `mcp:${name.slice(0, at)}/${name.slice(at + MCP_SPLIT.length)}`
}

/** The call of a tool event; null if the event does not even name its tool. */
export function callOf(event: Json, cwd: string, real: Real): ToolCall | null {
  const name = textIn(event['toolName'])
  if (name === null) return null
  const input = inputOf(event['toolInput'])
  const { toolResult } = event
  const tool = canonicalTool(name, isObject(toolResult) ? textIn(toolResult['server_name']) : null)
  const callId = textIn(event['toolUseId'])
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

/** An object; or, over 128 KiB, the beginning of its text. */
function inputOf(input: unknown): Json {
  if (isObject(input)) return input
  return typeof input === 'string' ? partialObject(input) : {}
}

function pathsOf(name: string, input: Json, cwd: string, real: Real): readonly PathUse[] {
  const use = (key: string, access: PathUse['access'], isWhole = false): readonly PathUse[] => {
    const named = textIn(input[key])
    if (named === null) return []
    const path = isAbsolute(named) ? named : resolve(cwd, named)
    return [{ path, real: real(path), access, ...(isWhole ? { whole: true } : {}) }]
  }
  switch (name) {
    case 'read_file':
      return use('target_file', 'read')
    case 'search_replace':
      return use('file_path', 'write')
    case 'write':
      return use('file_path', 'write', true)
    case 'grep':
      return use('path', 'read')
    case 'list_dir':
      return use('target_directory', 'read')
    default:
      return []
  }
}

function contentOf(name: string, input: Json): string | null {
  if (name === 'write') return textIn(input['content'])
  return name === 'search_replace' ? textIn(input['new_string']) : null
}
