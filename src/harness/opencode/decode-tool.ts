/** OpenCode's tools in the common words: canonical names, the files that a call names, what it is about to write, its result. */
import { isAbsolute, resolve } from 'node:path'
import { id, type CallId } from '../../core/id.ts'
import type { PathUse, ToolCall, ToolName, ToolResult } from '../../core/moment.ts'
import { isObject, listIn, objectIn, textIn, textsOf, type Json } from '../json.ts'
import { patchedFiles, patchedText } from './decode-patch.ts'

/** Canonical names. Tools that are not here keep their own. */
const TOOLS: Readonly<Record<string, ToolName>> = {
  bash: 'shell',
  read: 'read',
  edit: 'edit',
  apply_patch: 'edit',
  write: 'write',
  grep: 'search',
  glob: 'search',
  list: 'search',
  webfetch: 'fetch',
  websearch: 'fetch',
  task: 'task',
}

/** How the program words a call that was refused before it ran: by a person, or by a rule in its settings. */
const REFUSALS = [
  'The user rejected permission to use this specific tool call',
  'The user has specified a rule which prevents you from using',
]
/** How it words a call that a person stopped. */
const ABORTED = 'Tool execution aborted'
/** A tool that does not exist is called as this one. */
export const INVALID = 'invalid'

/** Resolves symlinks and `..` of an absolute path as far as it exists. */
export type Real = (path: string) => string

export interface Called {
  readonly name: string
  readonly call: string | null
  readonly args: Json
  /** The server of an MCP tool, as the plugin knows it from the settings: the tool's name alone can't tell. */
  readonly mcpServer: string | null
}

/** An MCP tool is named by its server, an underscore and its own name; other characters than letters, digits, `_` and `-` become `_`. */
export function canonicalTool(name: string, mcpServer: string | null): ToolName {
  const prefix = mcpServer === null ? null : `${mcpServer.replace(/[^a-zA-Z0-9_-]/g, '_')}_`
  if (prefix !== null && name.startsWith(prefix) && name.length > prefix.length) return `mcp:${mcpServer}/${name.slice(prefix.length)}`
  return Object.hasOwn(TOOLS, name) ? (TOOLS[name] ?? name) : name
}

export function callOf({ name, call, args, mcpServer }: Called, folder: string, real: Real): ToolCall {
  const tool = canonicalTool(name, mcpServer)
  const cwd = folderOf(name, args, folder)
  const command = tool === 'shell' ? textIn(args['command']) : null
  const content = contentOf(name, args)
  return {
    id: call === null ? null : id<CallId>(call),
    tool,
    harnessTool: name,
    cwd,
    paths: pathsOf(name, args, cwd).map((use) => ({ ...use, real: real(use.path) })),
    ...(command === null ? {} : { command }),
    ...(content === null ? {} : { content }),
  }
}

/** The shell tool takes a folder of its own. */
export function folderOf(name: string, args: Json, folder: string): string {
  const own = name === 'bash' ? textIn(args['workdir']) : null
  return own === null ? folder : resolve(folder, own)
}

type NamedUse = Omit<PathUse, 'real'>

/** Files that a call's own fields name, absolute. */
export function pathsOf(name: string, args: Json, folder: string): readonly NamedUse[] {
  const use = (path: string | null, access: PathUse['access'], isWhole = false): readonly NamedUse[] => {
    if (path === null) return []
    return [{ path: isAbsolute(path) ? path : resolve(folder, path), access, ...(isWhole ? { whole: true } : {}) }]
  }
  switch (name) {
    case 'read':
      return use(textIn(args['filePath']), 'read')
    case 'edit':
      return use(textIn(args['filePath']), 'write')
    case 'write':
      return use(textIn(args['filePath']), 'write', true)
    case 'apply_patch':
      return patchedFiles(textIn(args['patchText']) ?? '').flatMap(({ path, isWhole }) => use(path, 'write', isWhole))
    case 'grep':
    case 'glob':
    case 'list':
      return use(textIn(args['path']), 'read')
    default:
      return []
  }
}

function contentOf(name: string, args: Json): string | null {
  switch (name) {
    case 'write':
      return textIn(args['content'])
    case 'edit':
      return textIn(args['newString'])
    case 'apply_patch':
      return textIn(patchedText(textIn(args['patchText']) ?? ''))
    default:
      return null
  }
}

/** The result of a call that did not fail by the program's own word. A shell command's exit code stands in its metadata only. */
export function resultOf(name: string, output: Json): ToolResult {
  const text = outputText(output)
  if (name === INVALID) return { state: 'failed', output: text }
  const exit = exitOf(name, output['metadata'])
  if (exit === null) return { state: 'unknown', output: text }
  if (exit === undefined) return { state: 'ok', output: text }
  return { state: exit === 0 ? 'ok' : 'failed', exitCode: exit, output: text }
}

/** Undefined for a tool without one; null where a command was stopped, by its time limit or a person, or where the code is missing (R8). */
export function exitOf(name: string, metadata: unknown): number | null | undefined {
  if (name !== 'bash') return undefined
  const { exit } = objectIn(metadata)
  return typeof exit === 'number' ? exit : null
}

/** Built-in tools give a text, MCP tools a list of content. */
export function outputText(output: Json): string {
  if (typeof output['output'] === 'string') return output['output']
  return textsOf(listIn(output['content'])).join('\n\n')
}

export type ErrorKind = 'refused' | 'aborted' | 'failed'

/** What the error of a call means. A deny of ours is known by the plugin, which threw it. */
export function errorKind(state: Json): ErrorKind {
  const error = textIn(state['error']) ?? ''
  if (REFUSALS.some((start) => error.startsWith(start))) return 'refused'
  const isInterrupted = isObject(state['metadata']) && state['metadata']['interrupted'] === true
  return isInterrupted || error === ABORTED ? 'aborted' : 'failed'
}
