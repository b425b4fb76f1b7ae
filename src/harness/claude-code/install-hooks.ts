/**
 * Which hooks Claude Code is given.
 *
 * Facts about events, hook types and limits: the reference of Claude Code 2.1.332, its sections 2, 4, 6 and 10.
 */
import { join } from 'node:path'
import { type CommandHook, HOOK_SCRIPT, type HttpHook, MOMENT_PATH, quoted, START_WORD, type Transport } from '../../install/hook.ts'

/** A command hook has this much more, to start its processes in and to give up by itself. */
const STARTING_SECONDS = 1

/**
 * The events that are posted. SessionStart comes first and always by a command: http hooks never fire there (S14).
 * PreCompact and PostCompact are left out on purpose: whatever their hooks give, even nothing, goes into the conversation (X5).
 */
const SESSION_START = 'SessionStart'
export const EVENTS = [
  SESSION_START,
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'InstructionsLoaded',
  'PermissionDenied',
  'SessionEnd',
] as const

export interface HookChoice {
  readonly transport: Transport
  readonly port: number
  /** Stands in the settings for `http` only. */
  readonly token: string
  /** Absolute folder with the copied scripts. */
  readonly hooksFolder: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** Every event with the one hook that it gets. The address is the same in every scope, so that the harness runs it once (S17). */
export function hooksFor(choice: HookChoice): ReadonlyMap<string, HttpHook | CommandHook> {
  const hook = choice.transport === 'command' ? commandHook(choice) : httpHook(choice)
  return new Map(EVENTS.map((event) => [event, event === SESSION_START ? commandHook(choice, ` ${START_WORD}`) : hook]))
}

export function hookAddress(port: number): string {
  return `http://127.0.0.1:${port}${MOMENT_PATH}?harness=claude-code`
}

function httpHook({ port, token, seconds }: HookChoice): HttpHook {
  return {
    type: 'http',
    url: hookAddress(port),
    timeout: seconds,
    // A variable that is not set becomes an empty header.
    headers: { authorization: `Bearer ${token}`, 'contextmd-off': '$CONTEXTMD_OFF' },
    allowedEnvVars: ['CONTEXTMD_OFF'],
  }
}

/** `|| exit 0`: a missing script ends `sh` with 2, and the harness takes 2 for a deny (S11, S16). */
function commandHook({ port, hooksFolder, seconds }: HookChoice, more = ''): CommandHook {
  const script = quoted(join(hooksFolder, HOOK_SCRIPT))
  return { type: 'command', command: `sh ${script} claude-code ${port} ${seconds}${more} || exit 0`, timeout: seconds + STARTING_SECONDS }
}
