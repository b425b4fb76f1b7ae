/** A hook as three of the harnesses write it into a JSON file, and how ours are told from other people's. */
import { basename } from 'node:path'

/** The script in `hooks/` of the package, copied to the data folder under the same name. */
export const HOOK_SCRIPT = 'contextmd-hook.sh'
export const HOOK_SCRIPT_FOR_NODE = 'contextmd-hook.cjs'
export const START_SCRIPT = 'contextmd-start.sh'
/** Last word of the hook at a session's start: it starts the server where none runs. */
export const START_WORD = 'start'

/** A hook that takes longer is given up; the agent works on. The server answers within 0.7 s. */
export const HOOK_SECONDS = 1

/** `command`: the script posts; `http`: the harness itself does; `mcp`: the harness calls a tool of ours (Codex). */
export type Transport = 'http' | 'command' | 'mcp'

/** The name under which a harness that calls our tool from its hooks knows our server. */
export const HOOK_SERVER = 'contextmd_hooks'

export const MOMENT_PATH = '/contextmd/v1/moment'

export interface HttpHook {
  readonly type: 'http'
  readonly url: string
  readonly timeout: number
  readonly headers: Readonly<Record<string, string>>
  readonly allowedEnvVars: readonly string[]
}

export interface CommandHook {
  readonly type: 'command'
  readonly command: string
  readonly timeout: number
}

export interface McpToolHook {
  readonly type: 'mcp_tool'
  readonly server: string
  readonly tool: string
  readonly timeout: number
  readonly input: Readonly<Record<string, string>>
}

export type Hook = HttpHook | CommandHook | McpToolHook

/** True for a hook that a setup of ours wrote, of any version, port or transport. */
export function isOurHook(hook: unknown): boolean {
  if (!isRecord(hook)) return false
  if (hook['type'] === 'http') return typeof hook['url'] === 'string' && hook['url'].includes(`${MOMENT_PATH}?harness=claude-code`)
  if (hook['type'] === 'mcp_tool') return hook['server'] === HOOK_SERVER
  if (hook['type'] !== 'command' || typeof hook['command'] !== 'string') return false
  return hook['command'].split(/['"\s]+/).some((word) => basename(word) === HOOK_SCRIPT)
}

/** The token that one of our hooks carries, if it carries one. */
export function tokenIn(hook: unknown): string | null {
  if (!isOurHook(hook) || !isRecord(hook) || !isRecord(hook['headers'])) return null
  const header = hook['headers']['authorization']
  return typeof header === 'string' && header.startsWith('Bearer ') ? header.slice('Bearer '.length) : null
}

/** A word of a shell line, whatever stands in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
