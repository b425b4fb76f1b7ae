/**
 * Which hooks Grok Build is given. Facts about events and limits: the reference of Grok Build 1.0.41, its sections 2, 6 and 10.
 *
 * Always command hooks: it refuses every `http://` address, the loopback too. And always a file of our own, which it merges with all others;
 * hooks of plugins are listed there and never run.
 */
import { join } from 'node:path'
import { type Hook, HOOK_SCRIPT, START_WORD } from '../../install/hook.ts'

/** The events that are posted. None has a matcher: one at the session's start would have to know words that differ from other harnesses'. */
export const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'StopCancelled',
  'PostCompact',
  'SessionEnd',
] as const

/** The script gives up by itself; the harness kills it this much later. */
const STARTING_SECONDS = 1

export interface HookChoice {
  readonly port: number
  /** Absolute folder with the copied scripts. */
  readonly hooksFolder: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** Every event with the one hook that it gets. The command is the same in every scope, so that the harness runs it once (S17). */
export function hooksFor({ port, hooksFolder, seconds }: HookChoice): ReadonlyMap<string, Hook> {
  const script = `'${join(hooksFolder, HOOK_SCRIPT).replaceAll("'", `'\\''`)}'`
  // `|| exit 0`: a missing script ends `sh` with 2, and the harness takes 2 for a deny (S11, S16)
  const command = (more: string) => `sh ${script} grok ${port} ${seconds}${more} || exit 0`
  const timeout = Math.ceil(seconds) + STARTING_SECONDS
  const hook = (event: string): Hook => ({ type: 'command', command: command(event === 'SessionStart' ? ` ${START_WORD}` : ''), timeout })
  return new Map(EVENTS.map((event) => [event, hook(event)]))
}
