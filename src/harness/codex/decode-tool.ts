/** Codex's tools in the common words: canonical names, the files that a call names, what it is about to write, its result. */
import { isAbsolute, resolve } from 'node:path'
import { id, type CallId } from '../../core/id.ts'
import type { PathUse, ToolCall, ToolName, ToolResult } from '../../core/moment.ts'
import { isObject, objectIn, textIn, textsOf, type Json } from './json.ts'
import { patchIn, patchInShell, type Patch } from './patch.ts'

/** Resolves symlinks and `..` of an absolute path as far as it exists. */
export type Real = (path: string) => string

/** The exit code that the harness's records hold for a finished call; null if they hold none. */
export type ExitCodeOf = (records: string, call: string) => number | null

const MCP_PREFIX = 'mcp__'
/** Subagents are started as `spawn_agent`, `collaborationspawn_agent`, `multi_agent_v1spawn_agent`: the prefix is a tool's namespace. */
const SPAWNS = /spawn_agent$/

export function canonicalTool(name: string, patch: Patch | null): ToolName {
  if (name === 'Bash') return 'shell'
  if (name === 'apply_patch') return patch !== null && patch.files.every(({ change }) => change === 'add') ? 'write' : 'edit'
  if (name === 'view_image') return 'read'
  if (SPAWNS.test(name)) return 'task'
  if (!name.startsWith(MCP_PREFIX)) return name
  const rest = name.slice(MCP_PREFIX.length)
  // a server's name may hold `__` itself; the event does not say where it ends
  const at = rest.indexOf('__', 1)
  return at === -1 || at + 2 === rest.length ? name : `mcp:${rest.slice(0, at)}/${rest.slice(at + 2)}`
}

/** The call of a tool event; null if the event does not even name its tool. */
export function callOf(event: Json, cwd: string, real: Real): ToolCall | null {
  const name = textIn(event['tool_name'])
  if (name === null) return null
  const input = objectIn(event['tool_input'])
  const callId = textIn(event['tool_use_id'])
  const command = textIn(input['command'])
  const made = patchOf(name, command, cwd)
  const added = made?.patch.added ?? ''
  return {
    id: callId === null ? null : id<CallId>(callId),
    tool: canonicalTool(name, made?.patch ?? null),
    harnessTool: name,
    cwd,
    paths: made === null ? namedPaths(name, input, cwd, real) : patchedPaths(made, real),
    ...(name === 'Bash' && command !== null ? { command } : {}),
    ...(added === '' ? {} : { content: added }),
  }
}

interface MadePatch {
  readonly patch: Patch
  /** Absolute folder from which its paths count. */
  readonly folder: string
}

function patchOf(tool: string, command: string | null, cwd: string): MadePatch | null {
  if (command === null) return null
  if (tool === 'apply_patch') {
    const patch = patchIn(command)
    return patch === null ? null : { patch, folder: cwd }
  }
  const shell = tool === 'Bash' ? patchInShell(command) : null
  return shell === null ? null : { patch: shell.patch, folder: resolve(cwd, shell.folder ?? '') }
}

function patchedPaths({ patch, folder }: MadePatch, real: Real): readonly PathUse[] {
  return patch.files.map(({ path, change }) => {
    const full = resolve(folder, path)
    return { path: full, real: real(full), access: 'write', ...(change === 'add' ? { whole: true } : {}) }
  })
}

function namedPaths(tool: string, input: Json, cwd: string, real: Real): readonly PathUse[] {
  const named = tool === 'view_image' ? textIn(input['path']) : null
  if (named === null) return []
  const path = isAbsolute(named) ? named : resolve(cwd, named)
  return [{ path, real: real(path), access: 'read' }]
}

/**
 * The event of a shell call holds its output and no exit code: that stands in the records by the time the event is posted.
 * A call of another tool that failed posts no event at all.
 */
export function resultOf(event: Json, call: ToolCall, records: string | null, exitCodeOf: ExitCodeOf): ToolResult {
  const response = event['tool_response']
  const output = outputOf(response)
  if (call.harnessTool === 'Bash') {
    const exitCode = records === null || call.id === null ? null : exitCodeOf(records, call.id)
    return exitCode === null ? { state: 'unknown', output } : { state: exitCode === 0 ? 'ok' : 'failed', exitCode, output }
  }
  const exitCode = call.harnessTool === 'apply_patch' ? exitCodeIn(output) : null
  if (exitCode !== null) return { state: exitCode === 0 ? 'ok' : 'failed', exitCode, output }
  return { state: objectIn(response)['isError'] === true ? 'failed' : 'ok', output }
}

/** A patch's result begins with its exit code. */
function exitCodeIn(text: string): number | null {
  const digits = /^Exit code: (\d{1,10})(?!\d)/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** A result as text. Images are left out: `view_image` puts the whole image into its result. */
function outputOf(response: unknown): string {
  if (typeof response === 'string') return response
  if (Array.isArray(response)) return textsOf(response).join('\n')
  if (!isObject(response)) return response === undefined || response === null ? '' : JSON.stringify(response)
  const { content } = response
  return Array.isArray(content) ? textsOf(content).join('\n') : JSON.stringify(response)
}
