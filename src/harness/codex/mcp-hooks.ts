/**
 * Hooks of type `mcp_tool`: Codex itself calls our tool over HTTP, without a process. Facts: the reference of Codex 0.171.0, section 6,
 * and docs/harnesses/codex.md.
 *
 * The input is a template, and a placeholder that is missing in the event fails the hook: so each event has its own, with the fields
 * that it always has. What a subagent's events have besides is told by the client, beside the input.
 */
import { HOOK_SERVER, type McpToolHook } from '../../install/hook.ts'

/** In every event. `transcript_path` is null with `--ephemeral`, and there all the same. */
const COMMON = ['hook_event_name', 'session_id', 'cwd', 'transcript_path'] as const
const CALL = ['turn_id', 'tool_name', 'tool_input', 'tool_use_id'] as const

/** What we read of each event. A process's end is no event for such hooks: SessionEnd stays a command. */
export const MCP_INPUTS = {
  SessionStart: ['source'],
  UserPromptSubmit: ['turn_id', 'prompt'],
  PreToolUse: CALL,
  PostToolUse: [...CALL, 'tool_response'],
  PreModelRequest: ['turn_id', 'request_id', 'thread_id', 'attempt_number'],
  PostCompact: ['turn_id', 'trigger'],
  SubagentStart: ['turn_id', 'agent_id', 'agent_type'],
  SubagentStop: ['turn_id', 'agent_id', 'agent_type', 'agent_transcript_path', 'stop_hook_active'],
  Stop: ['turn_id', 'stop_hook_active'],
  Interrupt: ['turn_id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type McpEvent = keyof typeof MCP_INPUTS

export function isMcpEvent(event: string): event is McpEvent {
  return Object.hasOwn(MCP_INPUTS, event)
}

/** `seconds`: limit of one hook. `key`: tells our tool that a hook calls it, and not the model. */
export function mcpHook(event: McpEvent, { key, seconds }: { readonly key: string; readonly seconds: number }): McpToolHook {
  const fields = [...COMMON, ...MCP_INPUTS[event]]
  return {
    type: 'mcp_tool',
    server: HOOK_SERVER,
    tool: 'moment',
    // whole seconds: a fraction drops the whole file
    timeout: Math.ceil(seconds),
    input: { key, ...Object.fromEntries(fields.map((field) => [field, `\${${field}}`])) },
  }
}
