/**
 * The ways in which each harness's hook reaches the server, run as the harness runs it, with the event that it posts before a command.
 *
 * In: a real server. Out: one function a way, which posts one event and tells how long the harness would have waited for it.
 */
import { join } from 'node:path'
import { hookKeyOf } from '../src/harness/hook-key.ts'
import { HEADER_FILE, writeHookFiles as writePluginFiles } from '../src/harness/opencode/install-hooks.ts'
import { contextmd } from '../src/harness/opencode/plugin/plugin.ts'
import { openBareClient } from './bare-client.ts'
import { commandHooks, LIMIT_SECONDS } from './hook-clients.ts'
import type { Place } from './place.ts'

export interface HookWay {
  readonly name: string
  /** Milliseconds that the harness waited. */
  readonly run: (call: string) => Promise<number>
  readonly close?: () => void
}

interface Told {
  readonly session: string
  readonly cwd: string
  readonly call: string
}

const COMMAND = (call: string): string => `git add -A && git commit -m "Mend part ${call}"`

function claudeCodeEvent({ session, cwd, call }: Told): object {
  const base = { session_id: session, cwd, permission_mode: 'default', hook_event_name: 'PreToolUse' }
  return { ...base, tool_name: 'Bash', tool_input: { command: COMMAND(call), description: 'commit' }, tool_use_id: call }
}

function codexEvent({ session, cwd, call }: Told): object {
  const base = { session_id: session, turn_id: `${session}-t`, transcript_path: null, cwd, hook_event_name: 'PreToolUse', model: 'gpt-5.5' }
  return { ...base, tool_name: 'Bash', tool_input: { command: COMMAND(call) }, tool_use_id: call }
}

function grokEvent({ session, cwd, call }: Told): object {
  const names = { hook_event_name: 'PreToolUse', hookEventName: 'pre_tool_use' }
  return { ...names, sessionId: session, cwd, toolName: 'run_terminal_command', toolInput: { command: COMMAND(call) }, toolUseId: call }
}

/** Every harness's own way or ways, then the two to compare with: a hook script in Node, and a hook that does nothing. */
export async function hookWays(place: Place): Promise<readonly HookWay[]> {
  const { sh, node, empty } = commandHooks(place)
  // a session a call: each is held anew, and none waits for the proof of an earlier one
  const told = (way: string, call: string): Told => ({ session: `bench-${way}-${call}`, cwd: place.project, call })
  const client = await openBareClient(place.server.port, '/contextmd/v1/moment?harness=claude-code', place.token)
  const tool = await openBareClient(place.server.port, '/contextmd/hook-mcp?harness=codex', place.token)
  const key = hookKeyOf(place.token)
  const toolCall = (call: string): string => {
    const event = codexEvent(told('codex-mcp', call))
    const params = { name: 'moment', arguments: { ...event, key }, _meta: { threadId: told('codex-mcp', call).session } }
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  }
  const plugin = await pluginAt(place)
  return [
    {
      name: 'Claude Code: http, kept connection',
      run: async (call) => (await client.post(JSON.stringify(claudeCodeEvent(told('claude', call))))).ms,
      close: () => client.close(),
    },
    {
      name: 'Claude Code: sh + curl',
      run: async (call) => (await sh('claude-code')(JSON.stringify(claudeCodeEvent(told('claude-sh', call))))).ms,
    },
    { name: 'Codex: sh + curl', run: async (call) => (await sh('codex')(JSON.stringify(codexEvent(told('codex', call))))).ms },
    {
      name: 'Codex: call of our tool, kept connection',
      run: async (call) => (await tool.post(toolCall(call))).ms,
      close: () => tool.close(),
    },
    { name: 'Grok Build: sh + curl', run: async (call) => (await sh('grok')(JSON.stringify(grokEvent(told('grok', call))))).ms },
    { name: 'OpenCode: plugin', run: plugin },
    {
      name: 'the same in Node (what people write)',
      run: async (call) => (await node(JSON.stringify(claudeCodeEvent(told('node', call))))).ms,
    },
    { name: 'empty hook (sh -c true)', run: async () => (await empty('')).ms },
  ]
}

/** The plugin itself, in this process: it waits for the answer of the server, and a deny is thrown. */
async function pluginAt({ root, project, token, server }: Place): Promise<HookWay['run']> {
  const folder = join(root, 'data', 'hooks')
  writePluginFiles(folder, token)
  const nothing = async (): Promise<object> => ({})
  const client = { session: { get: nothing, messages: async () => ({ data: [] }), prompt: nothing } }
  const start = contextmd({ port: server.port, headerFile: join(folder, HEADER_FILE), seconds: LIMIT_SECONDS, readable: [] })
  const hooks = await start({ client, directory: project })
  return async (call) => {
    const from = performance.now()
    const input = { tool: 'bash', sessionID: `ses_${call}`, callID: call }
    await hooks['tool.execute.before'](input, { args: { command: COMMAND(call), description: 'commit' } }).catch(() => {})
    return performance.now() - from
  }
}
