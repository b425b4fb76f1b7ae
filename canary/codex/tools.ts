/** Calls that the scripted model makes of Codex' tools. */
import { call, calls } from '../kit/reply.ts'
import type { Block, ModelReply } from '../kit/reply.ts'
import { freshResults } from '../kit/request.ts'
import type { ModelRequest } from '../kit/request.ts'

export function shell(command: string): Block {
  return call('exec_command', { cmd: command })
}

/** A call that leaves a trace on the disk, so that it can't run unseen. */
export function touch(name: string): Block {
  return shell(`touch ${name}`)
}

/** `lines`: the body of the patch, with its header lines. */
export function patch(...lines: readonly string[]): Block {
  return { type: 'custom', tool: 'apply_patch', input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }
}

/** A script of the code mode, in which the tools are functions. */
export function script(code: string): Block {
  return { type: 'custom', tool: 'exec', input: code }
}

/** Models with plain calls start subagents by the first kind of tools, models of the code mode by the second. */
export type Agents = 'v1' | 'v2'

export function subagent(task: string, agents: Agents = 'v1'): Block {
  if (agents === 'v1') return call('spawn_agent', { message: task }, 'multi_agent_v1')
  return call('spawn_agent', { message: task, task_name: 'helper', fork_turns: 'none' }, 'collaboration')
}

/** Within it a scripted subagent is done, on a busy machine too. */
const WAIT_MS = 60_000

/** Waits for the subagents that the calls of the model's last reply started. Their ids are asked for by the first kind of tools only. */
export function awaited(request: ModelRequest, agents: Agents = 'v1'): ModelReply {
  const limit = { timeout_ms: WAIT_MS }
  if (agents === 'v2') return calls(call('wait_agent', limit, 'collaboration'))
  return calls(call('wait_agent', { targets: startedAgents(request), ...limit }, 'multi_agent_v1'))
}

function startedAgents(request: ModelRequest): readonly string[] {
  return freshResults(request).flatMap(({ text }) => /"agent_id":"([^"]+)"/.exec(text)?.[1] ?? [])
}
