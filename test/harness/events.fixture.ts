/** Events of each harness as it posts them, cut down to what it always sends. Shapes: `src/harness/NAME/fixtures/events`. */
import type { Call } from './driver.fixture.ts'
import type { Events } from './hook-driver.fixture.ts'

/** No session file: nothing of what is handed over can be proven by records, so that a gate lifts as assumed. */
const NO_FILE = null

export function claudeCodeEvents(cwd: string): (session: string) => Events {
  return (session) => {
    const base = { session_id: session, transcript_path: NO_FILE, cwd, permission_mode: 'default' }
    const tool = ({ id, command }: Call) => ({ tool_name: 'Bash', tool_input: { command, description: 'as told' }, tool_use_id: id })
    return {
      start: () => ({ ...base, hook_event_name: 'SessionStart', source: 'startup' }),
      prompt: (prompt, number) => ({ ...base, hook_event_name: 'UserPromptSubmit', prompt_id: `${session}-p${number}`, prompt }),
      before: (call) => ({ ...base, hook_event_name: 'PreToolUse', ...tool(call) }),
      after: (call) =>
        (call.exit ?? 0) === 0
          ? { ...base, hook_event_name: 'PostToolUse', ...tool(call), tool_response: { stdout: call.output ?? '', stderr: '' } }
          : { ...base, hook_event_name: 'PostToolUseFailure', ...tool(call), error: `Exit code ${call.exit}\n${call.output ?? ''}` },
      batchEnd: (calls) => ({
        ...base,
        hook_event_name: 'PostToolBatch',
        tool_calls: calls.map(({ call, denied }) => ({ ...tool(call), tool_response: denied })),
      }),
      stop: () => ({ ...base, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.' }),
    }
  }
}

export function codexEvents(cwd: string): (session: string) => Events {
  return (session) => {
    let turn = `${session}-t0`
    let requests = 0
    const base = () => ({ session_id: session, transcript_path: NO_FILE, cwd, model: 'gpt-5.5', permission_mode: 'bypassPermissions' })
    const tool = ({ id, command }: Call) => ({ turn_id: turn, tool_name: 'Bash', tool_input: { command }, tool_use_id: id })
    return {
      start: () => ({ ...base(), hook_event_name: 'SessionStart', source: 'startup' }),
      prompt: (prompt, number) => ({ ...base(), hook_event_name: 'UserPromptSubmit', turn_id: (turn = `${session}-t${number}`), prompt }),
      before: (call) => ({ ...base(), hook_event_name: 'PreToolUse', ...tool(call) }),
      after: (call) => ({ ...base(), hook_event_name: 'PostToolUse', ...tool(call), tool_response: call.output ?? '' }),
      batchEnd: () => ({
        ...base(),
        hook_event_name: 'PreModelRequest',
        kind: 'sampling',
        thread_id: session,
        turn_id: turn,
        request_id: `${session}-r${(requests += 1)}`,
        attempt_number: 1,
      }),
      stop: () => ({ ...base(), hook_event_name: 'Stop', turn_id: turn, stop_hook_active: false, last_assistant_message: 'Done.' }),
    }
  }
}

export function grokEvents(cwd: string): (session: string) => Events {
  return (session) => {
    let told = 0
    const base = (name: string, snake: string) => ({
      hook_event_name: name,
      hookEventName: snake,
      session_id: session,
      sessionId: session,
      cwd,
      timestamp: `2026-11-30T12:00:00.${String((told += 1)).padStart(9, '0')}+00:00`,
    })
    const tool = ({ id, command }: Call) => ({
      toolName: 'run_terminal_command',
      toolInput: { command },
      toolUseId: id,
      toolInputTruncated: false,
    })
    const result = ({ output = '', exit = 0 }: Call) => ({
      type: 'Bash',
      output_for_prompt: `exit: ${exit}\n${output}`,
      exit_code: exit,
      truncated: false,
    })
    return {
      start: () => ({ ...base('SessionStart', 'session_start'), source: 'new' }),
      prompt: (prompt, number) => ({ ...base('UserPromptSubmit', 'user_prompt_submit'), promptId: `${session}-p${number}`, prompt }),
      before: (call) => ({ ...base('PreToolUse', 'pre_tool_use'), ...tool(call) }),
      after: (call) => ({ ...base('PostToolUse', 'post_tool_use'), ...tool(call), toolResult: result(call), isBackgrounded: false }),
      batchEnd: null,
      stop: () => ({ ...base('Stop', 'stop'), reason: 'end_turn', stopHookActive: false }),
    }
  }
}
