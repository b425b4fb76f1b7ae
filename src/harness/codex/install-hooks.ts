/**
 * Which hooks Codex is given. Facts about events and limits: the reference of Codex 0.171.0, its sections 2, 3 and 6.
 *
 * Command hooks: there is no `http` type, and a hook of an unknown type drops the whole file.
 */
import { join } from 'node:path'
import { type Hook, HOOK_SCRIPT } from '../claude-code/install-hooks.ts'

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
  readonly port: number
  /** Absolute folder with the copied scripts. */
  readonly hooksFolder: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** Every event with the one hook that it gets. */
export function hooksFor({ port, hooksFolder, seconds }: HookChoice): ReadonlyMap<string, Hook> {
  const script = `'${join(hooksFolder, HOOK_SCRIPT).replaceAll("'", `'\\''`)}'`
  // `|| exit 0`: a missing script ends `sh` with 2, and the harness takes 2 for a deny (S11, S16)
  const command = `sh ${script} codex ${port} ${seconds} || exit 0`
  // whole seconds: a fraction drops the whole file
  const hook: Hook = { type: 'command', command, timeout: Math.ceil(seconds) + STARTING_SECONDS }
  return new Map(EVENTS.map((event) => [event, hook]))
}
