/**
 * The test moments: events as each harness posts them (the forms were recorded from the real programs), of a session that the server
 * knows for doctor's.
 */
import { randomBytes } from 'node:crypto'
import type { HarnessName } from '../core/id.ts'
import { PROBE_SESSION, probeText } from '../engine/probe.ts'

export interface ProbeEvent {
  readonly event: string
  readonly body: object
  /** What comes back, where all is well. */
  readonly expected: string
}

type HookHarness = Exclude<HarnessName, 'opencode'>

/** Events of a hook that have a seam, the one that matters most first. */
const PROBED = ['PreToolUse', 'SessionStart'] as const

export function newProbeSession(): string {
  return `${PROBE_SESSION}${randomBytes(8).toString('hex')}`
}

/** The event to try a hook with that is used for these; null: none of them would come back with a text. */
export function probeEvent(harness: HookHarness, events: readonly string[], folder: string): ProbeEvent | null {
  const event = PROBED.find((name) => events.includes(name) && !(harness === 'grok' && name === 'SessionStart'))
  if (event === undefined) return null
  const session = newProbeSession()
  if (event === 'SessionStart') return { event, body: sessionStart(harness, session, folder), expected: expectedStart(session) }
  return {
    event,
    body: BEFORE_TOOL[harness](session, folder),
    expected: probeText({ session: asSession(session), kind: 'before-tool', call: { tool: 'shell' } }),
  }
}

function expectedStart(session: string): string {
  return probeText({ session: asSession(session), kind: 'session-start' })
}

type Session = Parameters<typeof probeText>[0]['session']

function asSession(session: string): Session {
  // the decoder will make the very same text a session id
  return session as Session
}

function sessionStart(harness: HookHarness, session: string, folder: string): object {
  const event = { session_id: session, transcript_path: null, cwd: folder, hook_event_name: 'SessionStart', source: 'startup' }
  return harness === 'codex' ? { ...event, model: 'doctor', permission_mode: 'default' } : event
}

const CALL = 'doctor-call'
const COMMAND = 'true'

const BEFORE_TOOL: Readonly<Record<HookHarness, (session: string, folder: string) => object>> = {
  'claude-code': (session, folder) => ({
    session_id: session,
    transcript_path: null,
    cwd: folder,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: COMMAND, description: 'doctor' },
    tool_use_id: CALL,
  }),
  codex: (session, folder) => ({
    session_id: session,
    turn_id: 'doctor-turn',
    transcript_path: null,
    cwd: folder,
    hook_event_name: 'PreToolUse',
    model: 'doctor',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: COMMAND },
    tool_use_id: CALL,
  }),
  grok: (session, folder) => ({
    hookEventName: 'pre_tool_use',
    sessionId: session,
    cwd: folder,
    workspaceRoot: `${folder}/`,
    permissionMode: 'default',
    toolName: 'run_terminal_command',
    toolUseId: CALL,
    toolInput: { command: COMMAND, description: 'doctor' },
    toolInputTruncated: false,
    hook_event_name: 'PreToolUse',
    session_id: session,
    permission_mode: 'default',
    tool_name: 'run_terminal_command',
    tool_input: { command: COMMAND, description: 'doctor' },
    tool_use_id: CALL,
  }),
}

/** For OpenCode's plugin, which makes its events itself: what a tool's end would be. */
export function probePluginCall(): { readonly session: string; readonly expected: string } {
  const session = newProbeSession()
  return { session, expected: probeText({ session: asSession(session), kind: 'after-tool', call: { tool: 'shell' } }) }
}
