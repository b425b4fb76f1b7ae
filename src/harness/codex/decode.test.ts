import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Moment, MomentOf } from '../../core/moment.ts'
import { codexHarness } from './codex.ts'
import { recordedEvents } from './rollout.fixture.ts'

/** Exit codes as the records would tell them. */
const EXITS: Readonly<Record<string, number>> = { c_ok: 0, c_fail: 3, c_bg: 4, 'exec-00000000-0000-7000-8000-000000000012': 0 }

const harness = codexHarness({
  readsIn: () => [],
  real: (path) => path.replace('/home/dev', '/real/dev'),
  exitCodeOf: (_, call) => EXITS[call] ?? null,
})
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const FILE = `/home/dev/.codex/sessions/2026/11/30/rollout-2026-11-30T14-31-00-${id(1)}.jsonl`

function decoded(event: unknown): Moment {
  const result = harness.decode(event, 7)
  if (!result.ok) throw new Error(result.why)
  return result.moment
}

const events = new Map(recordedEvents().map(({ name, event }) => [name, event]))
const recorded = (name: string) => decoded(events.get(name))

function tool(name: string): MomentOf<'before-tool'> | MomentOf<'after-tool'> {
  const moment = recorded(name)
  if (moment.kind !== 'before-tool' && moment.kind !== 'after-tool') throw new Error(`${name} is ${moment.kind}`)
  return moment
}

function resultOf(name: string) {
  const moment = tool(name)
  return moment.kind === 'after-tool' ? moment.result : null
}

/** Kind of each recorded event, and what makes it unique. */
const KINDS: Readonly<Record<string, string>> = {
  interrupt: 'stop',
  'permission-request.bash': 'other',
  'post-compact.auto': 'compaction',
  'post-compact.manual': 'compaction',
  'post-model-request': 'other',
  'post-tool-use.apply-patch': `after-tool ${id(1)}/PostToolUse/c_patch`,
  'post-tool-use.bash-background-finished': `after-tool ${id(1)}/PostToolUse/c_bg`,
  'post-tool-use.bash-failed-exit-3': `after-tool ${id(1)}/PostToolUse/c_fail`,
  'post-tool-use.bash-ok': `after-tool ${id(1)}/PostToolUse/c_ok`,
  'post-tool-use.code-mode-nested': `after-tool ${id(10)}/PostToolUse/exec-${id(12)}`,
  'post-tool-use.mcp': `after-tool ${id(1)}/PostToolUse/c_mcp`,
  'post-tool-use.spawn-agent-v2': `after-tool ${id(13)}/PostToolUse/sp1`,
  'post-tool-use.view-image': `after-tool ${id(1)}/PostToolUse/c_img`,
  'pre-compact.auto': 'compaction',
  'pre-compact.manual': 'compaction',
  'pre-model-request.compaction': `batch-end ${id(2)}/PreModelRequest/${id(27)}/1`,
  'pre-model-request.sampling': `batch-end ${id(1)}/PreModelRequest/${id(26)}/1`,
  'pre-tool-use.apply-patch': `before-tool ${id(1)}/PreToolUse/c_patch`,
  'pre-tool-use.apply-patch-through-shell-heredoc': `before-tool ${id(1)}/PreToolUse/c_patchsh`,
  'pre-tool-use.bash': `before-tool ${id(1)}/PreToolUse/c_ok`,
  'pre-tool-use.bash-with-workdir': `before-tool ${id(8)}/PreToolUse/c1`,
  'pre-tool-use.code-mode-nested': `before-tool ${id(10)}/PreToolUse/exec-${id(12)}`,
  'pre-tool-use.in-subagent': `before-tool ${id(16)}/PreToolUse/exec-${id(17)}`,
  'pre-tool-use.mcp': `before-tool ${id(1)}/PreToolUse/c_mcp`,
  'pre-tool-use.parallel-wave.0': `before-tool ${id(1)}/PreToolUse/c_par1`,
  'pre-tool-use.parallel-wave.1': `before-tool ${id(1)}/PreToolUse/c_par3`,
  'pre-tool-use.parallel-wave.2': `before-tool ${id(1)}/PreToolUse/c_par2`,
  'pre-tool-use.spawn-agent-v2': `before-tool ${id(13)}/PreToolUse/sp1`,
  'pre-tool-use.view-image': `before-tool ${id(1)}/PreToolUse/c_img`,
  'session-end': 'session-end',
  'session-start.clear': 'session-start',
  'session-start.compact': 'session-start',
  'session-start.fork': 'session-start',
  'session-start.resume': 'session-start',
  'session-start.startup': 'session-start',
  'stop.active': 'stop',
  stop: 'stop',
  'subagent-start': `subagent-start ${id(16)}/SubagentStart/${id(16)}/${id(15)}`,
  'subagent-stop.active': 'subagent-stop',
  'subagent-stop': 'subagent-stop',
  'user-prompt-submit': 'prompt',
  'user-prompt-submit.steered-mid-turn': 'prompt',
}

describe('events', () => {
  test('T12: each recorded event has its kind, and an id of its own only where it is unique', () => {
    const kinds = Object.fromEntries(
      [...events].map(([name, event]) => {
        const { kind, deliveryId } = decoded(event)
        return [name, deliveryId === null ? kind : `${kind} ${deliveryId}`]
      }),
    )
    expect(kinds).toEqual(KINDS)
  })

  test('what all moments have', () => {
    expect(recorded('pre-tool-use.bash')).toMatchObject({
      harness: 'codex',
      session: id(1),
      agent: null,
      context: `codex/${id(1)}`,
      event: 'PreToolUse',
      turn: id(5),
      cwd: '/home/dev/project',
      records: FILE,
      at: 7,
    })
    expect(recorded('session-start.startup').turn).toBeNull()
  })

  test('T9: a subagent is a context of its own, with its own records at its end too', () => {
    const own = `/home/dev/.codex/sessions/2026/11/30/rollout-2026-11-30T14-40-20-${id(16)}.jsonl`
    for (const name of ['subagent-start', 'pre-tool-use.in-subagent', 'subagent-stop'])
      expect(recorded(name)).toMatchObject({
        session: id(13),
        agent: id(16),
        agentType: 'default',
        context: `codex/${id(13)}/${id(16)}`,
        records: own,
      })
  })

  test('T9: the request of a subagent is told by its thread, where the event names no agent', () => {
    const event = { ...(events.get('pre-model-request.sampling') as object), thread_id: id(16) }
    expect(decoded(event)).toMatchObject({ kind: 'batch-end', agent: id(16), context: `codex/${id(1)}/${id(16)}` })
    expect(recorded('pre-model-request.sampling')).toMatchObject({ agent: null, context: `codex/${id(1)}` })
  })

  test('T13: what a subagent is told is no prompt of a person', () => {
    const prompt = events.get('user-prompt-submit') as object
    expect(decoded(prompt)).toMatchObject({ kind: 'prompt', text: 'do the tools', machineMade: false })
    expect(decoded({ ...prompt, agent_id: id(16) })).toMatchObject({ kind: 'prompt', machineMade: true })
  })

  test('T8: a subagent is told of its compaction by nothing but its end', () => {
    const event = events.get('post-compact.auto') as object
    expect(decoded(event)).toMatchObject({ kind: 'compaction', phase: 'done' })
    expect(decoded({ ...event, agent_id: id(16) })).toMatchObject({ kind: 'session-start', source: 'compact', noSeam: true })
  })

  test('G18: an ephemeral session has no records', () => {
    expect(decoded({ ...(events.get('pre-tool-use.bash') as object), transcript_path: null }).records).toBeNull()
  })

  test('sources of a session start; an unknown one counts as a resume', () => {
    for (const source of ['startup', 'resume', 'fork', 'clear', 'compact'])
      expect(recorded(`session-start.${source}`)).toMatchObject({ kind: 'session-start', source })
    expect(decoded({ ...(events.get('session-start.fork') as object), source: 'teleport' })).toMatchObject({ source: 'resume' })
  })

  test('a stop that a hook has turned round, and one that a person made', () => {
    expect(recorded('stop')).toMatchObject({ kind: 'stop', again: false })
    expect(recorded('stop.active')).toMatchObject({ kind: 'stop', again: true })
    expect(recorded('interrupt')).toMatchObject({ kind: 'stop', again: false })
  })

  test('unknown events and unknown fields break nothing', () => {
    const base = { session_id: 's', hook_event_name: 'SomethingNew', transcript_path: 7, cwd: null, extra: {} }
    expect(decoded(base)).toMatchObject({ kind: 'other', event: 'SomethingNew', records: null, cwd: '/' })
  })

  test('S9: what is no event, and a tool event that names no tool, is told', () => {
    for (const event of [null, [], 'x', {}, { session_id: 's' }, { session_id: 's', hook_event_name: 'PreToolUse' }])
      expect(harness.decode(event, 7).ok).toBe(false)
  })

  test('never throws', () => {
    const names = [...new Set([...events.values()].map((event) => (event as { hook_event_name: string }).hook_event_name))]
    const fields = [
      'session_id',
      'agent_id',
      'thread_id',
      'tool_name',
      'tool_input',
      'tool_response',
      'tool_use_id',
      'transcript_path',
      'cwd',
      'prompt',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()), (name, rest) => {
        expect(typeof harness.decode({ hook_event_name: name, ...rest }, 7).ok).toBe('boolean')
      }),
    )
  })
})

describe('calls', () => {
  test('canonical tools', () => {
    const tools = ['bash', 'apply-patch', 'mcp', 'view-image', 'spawn-agent-v2', 'code-mode-nested'].map((name) => {
      const { call } = tool(`pre-tool-use.${name}`)
      return [call.harnessTool, call.tool]
    })
    expect(tools).toEqual([
      ['Bash', 'shell'],
      ['apply_patch', 'edit'],
      ['mcp__lab__echo', 'mcp:lab/echo'],
      ['view_image', 'read'],
      ['collaborationspawn_agent', 'task'],
      ['Bash', 'shell'],
    ])
  })

  test('a shell call has its command and the folder of that very call', () => {
    expect(tool('pre-tool-use.bash').call).toMatchObject({ id: 'c_ok', command: 'echo hi; cat a.txt', cwd: '/home/dev/project', paths: [] })
    expect(tool('pre-tool-use.bash-with-workdir').call.cwd).toBe('/tmp')
  })

  test('M5: a patch names its files, the new one as written whole, and what it adds', () => {
    const { call } = tool('pre-tool-use.apply-patch')
    const file = (name: string) => ({ path: `/home/dev/project/${name}`, real: `/real/dev/project/${name}`, access: 'write' })
    expect(call.paths).toEqual([file('a.txt'), { ...file('sub/new.txt'), whole: true }, file('del.txt')])
    expect(call.content).toBe('hello world\nnew line')
    expect(call).not.toHaveProperty('command')
  })

  test('a patch that only adds files is a write', () => {
    const event = {
      ...(events.get('pre-tool-use.apply-patch') as object),
      tool_input: { command: '*** Begin Patch\n*** Add File: n.txt\n+x\n*** End Patch' },
    }
    expect(decoded(event)).toMatchObject({ call: { tool: 'write', content: 'x' } })
  })

  test('a patch in a shell line is a command, and names its files too', () => {
    const { call } = tool('pre-tool-use.apply-patch-through-shell-heredoc')
    expect(call).toMatchObject({ tool: 'shell', content: 'hello shell' })
    expect(call.paths.map(({ path, access }) => [path, access])).toEqual([['/home/dev/project/a.txt', 'write']])
  })

  test('an image that is looked at is a read', () => {
    expect(tool('pre-tool-use.view-image').call.paths).toEqual([
      { path: '/home/dev/project/pic.png', real: '/real/dev/project/pic.png', access: 'read' },
    ])
  })
})

describe('results', () => {
  test('the exit code of a shell call comes from the records; without it nothing is known', () => {
    expect(resultOf('post-tool-use.bash-ok')).toEqual({ state: 'ok', exitCode: 0, output: 'hi\nhello\n' })
    expect(resultOf('post-tool-use.bash-failed-exit-3')).toEqual({ state: 'failed', exitCode: 3, output: 'oops\nerr\n' })
    expect(resultOf('post-tool-use.bash-background-finished')).toEqual({ state: 'failed', exitCode: 4, output: 'late\n' })
    expect(resultOf('post-tool-use.code-mode-nested')).toEqual({ state: 'ok', exitCode: 0, output: 'hi\nhello\n' })
    const unknown = { ...(events.get('post-tool-use.bash-ok') as object), tool_use_id: 'c_other' }
    expect(decoded(unknown)).toMatchObject({ result: { state: 'unknown' } })
    const unrecorded = { ...(events.get('post-tool-use.bash-ok') as object), transcript_path: null }
    expect(decoded(unrecorded)).toMatchObject({ result: { state: 'unknown' } })
  })

  test('a patch tells its own, and an image is not taken for text', () => {
    expect(resultOf('post-tool-use.apply-patch')).toMatchObject({ state: 'ok', exitCode: 0 })
    expect(resultOf('post-tool-use.mcp')).toEqual({ state: 'ok', output: 'echo:hey' })
    expect(resultOf('post-tool-use.view-image')).toEqual({ state: 'ok', output: '' })
  })
})

test('what the client of an mcp_tool hook tells beside the event: its version, and the thread of a subagent', () => {
  const event = {
    session_id: 's1',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 'c',
    turn_id: 't',
  }
  const told = (more: object) => decoded({ ...event, ...more })
  expect(told({ thread_id: 's1', version: '0.171.0' })).toMatchObject({ version: '0.171.0', agent: null, context: 'codex/s1' })
  expect(told({ thread_id: 'a1', agent_type: 'explorer' })).toMatchObject({ agent: 'a1', agentType: 'explorer', context: 'codex/s1/a1' })
  expect(told({})).not.toHaveProperty('version')
})
