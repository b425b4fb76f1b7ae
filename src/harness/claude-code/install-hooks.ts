/**
 * Which hooks Claude Code is given, and how ours are told from other people's.
 *
 * Facts about events, hook types and limits: the reference of Claude Code 2.1.332, its sections 2, 4, 6 and 10.
 */
import { basename, join } from 'node:path'

export type Transport = 'http' | 'command'

/** The script in `hooks/` of the package, copied to the data folder under the same name. */
export const HOOK_SCRIPT = 'contextmd-hook.sh'
export const HOOK_SCRIPT_FOR_NODE = 'contextmd-hook.cjs'

/** A hook that takes longer is given up; the agent works on. The server answers within 0.7 s. */
export const HOOK_SECONDS = 1
/** A command hook has this much more, to start its processes in and to give up by itself. */
const STARTING_SECONDS = 1

const MOMENT_PATH = '/contextmd/v1/moment'

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

interface HttpHook {
  readonly type: 'http'
  readonly url: string
  readonly timeout: number
  readonly headers: Readonly<Record<string, string>>
  readonly allowedEnvVars: readonly string[]
}

interface CommandHook {
  readonly type: 'command'
  readonly command: string
  readonly timeout: number
}

export type Hook = HttpHook | CommandHook

/** Every event with the one hook that it gets. The address is the same in every scope, so that the harness runs it once (S17). */
export function hooksFor(choice: HookChoice): ReadonlyMap<string, Hook> {
  const command = commandHook(choice)
  const http = httpHook(choice)
  return new Map(EVENTS.map((event) => [event, event === SESSION_START || choice.transport === 'command' ? command : http]))
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
function commandHook({ port, hooksFolder, seconds }: HookChoice): CommandHook {
  const script = quoted(join(hooksFolder, HOOK_SCRIPT))
  return { type: 'command', command: `sh ${script} claude-code ${port} ${seconds} || exit 0`, timeout: seconds + STARTING_SECONDS }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** True for a hook that a setup of ours wrote, of any version, port or transport. */
export function isOurHook(hook: unknown): boolean {
  if (!isRecord(hook)) return false
  if (hook['type'] === 'http') return typeof hook['url'] === 'string' && hook['url'].includes(`${MOMENT_PATH}?harness=claude-code`)
  if (hook['type'] !== 'command' || typeof hook['command'] !== 'string') return false
  return hook['command'].split(/['"\s]+/).some((word) => basename(word) === HOOK_SCRIPT)
}

/** The token that one of our hooks carries, if it carries one. */
export function tokenIn(hook: unknown): string | null {
  if (!isOurHook(hook) || !isRecord(hook) || !isRecord(hook['headers'])) return null
  const header = hook['headers']['authorization']
  return typeof header === 'string' && header.startsWith('Bearer ') ? header.slice('Bearer '.length) : null
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
