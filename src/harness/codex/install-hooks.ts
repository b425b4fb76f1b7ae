/**
 * Which hooks Codex is given. Facts about events and limits: the reference of Codex 0.171.0, its sections 2, 3 and 6.
 *
 * There is no `http` type, and a hook of an unknown type drops the whole file. So a hook is a command, or a call of our tool.
 */
import { join } from 'node:path'
import { type Hook, HOOK_SCRIPT, START_WORD } from '../../install/hook.ts'
import { isMcpEvent, mcpHook } from './mcp-hooks.ts'

/**
 * The events that are posted, without a matcher: all tools, those of MCP servers too. PreModelRequest tells the end of a wave,
 * PostCompact the compaction of a subagent, which has no session start then.
 */
export const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreModelRequest',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
  'SessionEnd',
] as const

/** The script gives up by itself; the harness kills it this much later. Without a limit it would wait for ten minutes. */
const STARTING_SECONDS = 1

export interface HookChoice {
  readonly way: 'command' | 'mcp'
  /** For the calls of our tool. */
  readonly key: string
  readonly port: number
  /** Absolute folder with the copied scripts. */
  readonly hooksFolder: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** Every event with the one hook that it gets. */
export function hooksFor({ way, key, port, hooksFolder, seconds }: HookChoice): ReadonlyMap<string, Hook> {
  const script = `'${join(hooksFolder, HOOK_SCRIPT).replaceAll("'", `'\\''`)}'`
  // `|| exit 0`: a missing script ends `sh` with 2, and the harness takes 2 for a deny (S11, S16)
  const command = (more: string) => `sh ${script} codex ${port} ${seconds}${more} || exit 0`
  // whole seconds: a fraction drops the whole file
  const timeout = Math.ceil(seconds) + STARTING_SECONDS
  const hook = (event: string): Hook => ({ type: 'command', command: command(event === 'SessionStart' ? ` ${START_WORD}` : ''), timeout })
  return new Map(EVENTS.map((event) => [event, way === 'mcp' && isMcpEvent(event) ? mcpHook(event, { key, seconds }) : hook(event)]))
}
