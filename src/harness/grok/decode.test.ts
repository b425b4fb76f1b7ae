import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Moment } from '../../core/moment.ts'
import { canonicalTool } from './decode-tool.ts'
import { grokHarness } from './grok.ts'
import { asOlder, recordedEvents } from './session.fixture.ts'

const harness = grokHarness({ readsIn: () => [], real: (path) => path.replace('/home/dev', '/real/dev') })

function decoded(event: unknown): Moment {
  const result = harness.decode(event, 7)
  if (!result.ok) throw new Error(result.why)
  return result.moment
}

const events = new Map(recordedEvents().map(({ name, event }) => [name, event]))
const recorded = (name: string) => decoded(events.get(name))
const changed = (name: string, more: object) => decoded({ ...Object(events.get(name)), ...more })

const S = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`

/** Kind of each recorded event, the session that it belongs to, and what makes it unique. */
const KINDS: Readonly<Record<string, string>> = {
  'notification.agent_error': `other ${S(16)}`,
  'notification.idle_prompt': `other ${S(26)}`,
  'notification.permission_prompt': `other ${S(25)}`,
  'notification.task_complete': `other ${S(10)}`,
  'permission_denied.deny-rule': `refused ${S(13)} dr1`,
  'permission_denied.user-rejected': `refused ${S(14)} r1`,
  'post_compact.auto': `session-start ${S(27)}`,
  'post_tool_use.edit-nomatch': `after-tool ${S(1)} call_10_0`,
  'post_tool_use.edit-ok': `after-tool ${S(1)} call_6_0`,
  'post_tool_use.grep-ok': `after-tool ${S(1)} call_8_0`,
  'post_tool_use.inside-subagent': `after-tool ${S(5)} cc1`,
  'post_tool_use.list_dir-ok': `after-tool ${S(1)} call_9_0`,
  'post_tool_use.mcp-ok': `after-tool ${S(8)} m2`,
  'post_tool_use.read-missing': `after-tool ${S(1)} call_5_0`,
  'post_tool_use.read-ok': `after-tool ${S(1)} call_4_0`,
  'post_tool_use.shell-backgrounded': `after-tool ${S(10)} bg1`,
  'post_tool_use.shell-exit3': `after-tool ${S(1)} call_3_0`,
  'post_tool_use.shell-ok': `after-tool ${S(1)} call_2_0`,
  'post_tool_use.spawn_subagent': `after-tool ${S(9)} s1`,
  'post_tool_use.truncated-payload': `after-tool ${S(12)} f2`,
  'post_tool_use.write-ok': `after-tool ${S(1)} call_7_0`,
  'post_tool_use_failure.mcp': `after-tool ${S(8)} m3`,
  'pre_compact.auto': `compaction ${S(27)}`,
  'pre_compact.manual': `compaction ${S(27)}`,
  'pre_tool_use.edit': `before-tool ${S(1)} call_6_0`,
  'pre_tool_use.grep': `before-tool ${S(1)} call_8_0`,
  'pre_tool_use.inside-subagent': `before-tool ${S(5)} cc1`,
  'pre_tool_use.list_dir': `before-tool ${S(1)} call_9_0`,
  'pre_tool_use.mcp': `before-tool ${S(8)} m2`,
  'pre_tool_use.read': `before-tool ${S(1)} call_4_0`,
  'pre_tool_use.shell': `before-tool ${S(1)} call_2_0`,
  'pre_tool_use.spawn_subagent': `before-tool ${S(9)} s1`,
  'pre_tool_use.write': `before-tool ${S(1)} call_7_0`,
  'session_end.headless': `session-end ${S(1)}`,
  'session_end.subagent': `session-end ${S(5)}`,
  'session_start.load': `session-start ${S(2)}`,
  'session_start.new': `session-start ${S(1)}`,
  'stop.continuation': `stop ${S(2)}`,
  'stop.end_turn': `stop ${S(1)}`,
  'stop.session-end': `session-end ${S(1)}`,
  'stop_cancelled.max_turns': `stop ${S(20)}`,
  'stop_cancelled.no_progress': `stop ${S(18)}`,
  'stop_cancelled.permission_rejected': `stop ${S(14)}`,
  'stop_cancelled.prompt-blocked': `stop ${S(2)}`,
  'stop_cancelled.user_interrupt': `stop ${S(7)}`,
  'stop_failure.api-400': `stop ${S(16)}`,
  subagent_start: `subagent-start ${S(5)} start`,
  'subagent_stop.continuation': `subagent-stop ${S(5)}`,
  'subagent_stop.first': `subagent-stop ${S(5)}`,
  'user_prompt_submit.acp-client-prompt-id': `prompt ${S(7)} client-prompt-1`,
  'user_prompt_submit.background-task-completed': `prompt ${S(10)} task-completed-${S(11)}`,
  'user_prompt_submit.first': `prompt ${S(1)} ${S(3)}`,
  'user_prompt_submit.resumed': `prompt ${S(2)} ${S(4)}`,
  'user_prompt_submit.subagent': `prompt ${S(5)} ${S(6)}`,
}

describe('recorded events', () => {
  test('S9: every one is decoded, with a delivery id where it has an id of its own', () => {
    const kinds = recordedEvents().map(({ name }) => {
      const { kind, session, deliveryId } = recorded(name)
      return [name, [kind, session, ...(deliveryId === null ? [] : [deliveryId.split('/')[2]])].join(' ')]
    })
    expect(Object.fromEntries(kinds)).toEqual(KINDS)
  })

  test('common fields', () => {
    expect(recorded('pre_tool_use.shell')).toMatchObject({
      harness: 'grok',
      session: S(1),
      agent: null,
      context: `grok/${S(1)}`,
      event: 'PreToolUse',
      turn: null,
      cwd: '/home/dev/project',
      records: `/home/dev/.grok/sessions/%2Fhome%2Fdev%2Fproject/${S(1)}/chat_history.jsonl`,
      at: 7,
    })
    expect(recorded('user_prompt_submit.first')).toMatchObject({ turn: S(3), records: null, machineMade: false, text: 'do it' })
  })

  test('only a new session starts empty', () => {
    expect(recorded('session_start.new')).toMatchObject({ source: 'startup', records: null })
    expect(recorded('session_start.load')).toMatchObject({ source: 'resume' })
    expect(changed('session_start.load', { source: 'what comes next' })).toMatchObject({ source: 'resume' })
  })

  test('T13: what a background task or an agent writes is no person`s prompt', () => {
    expect(recorded('user_prompt_submit.background-task-completed')).toMatchObject({ machineMade: true })
    expect(recorded('user_prompt_submit.subagent')).toMatchObject({ machineMade: true })
    expect(recorded('user_prompt_submit.resumed')).toMatchObject({ machineMade: false })
  })

  test('T12: a client that gives every prompt one id has every prompt counted', () => {
    const first = recorded('user_prompt_submit.acp-client-prompt-id')
    const second = changed('user_prompt_submit.acp-client-prompt-id', { timestamp: '2026-11-30T12:00:01.000000000+00:00' })
    expect(second.deliveryId).not.toBe(first.deliveryId)
    expect(recorded('user_prompt_submit.acp-client-prompt-id').deliveryId).toBe(first.deliveryId)
  })

  test('T9: a subagent is a context of its own, from the start that its parent tells', () => {
    for (const name of ['subagent_start', 'user_prompt_submit.subagent', 'pre_tool_use.inside-subagent', 'subagent_stop.first'])
      expect(recorded(name)).toMatchObject({ session: S(5), agent: S(5), agentType: 'general-purpose', context: `grok/${S(5)}` })
    expect(recorded('subagent_start')).toMatchObject({ records: null, parent: S(9) })
    expect(recorded('pre_tool_use.inside-subagent').parent).toBeUndefined()
    expect(recorded('pre_tool_use.spawn_subagent')).toMatchObject({ session: S(9), agent: null })
  })

  test('a turn that ended badly ends the run and takes no text; the program`s end is no stop', () => {
    for (const name of ['stop_failure.api-400', 'stop_cancelled.no_progress', 'stop_cancelled.user_interrupt'])
      expect(recorded(name)).toMatchObject({ kind: 'stop', noSeam: true })
    expect(recorded('stop.end_turn')).toMatchObject({ kind: 'stop', again: false })
    expect(recorded('stop.end_turn').noSeam).toBeUndefined()
    expect(recorded('stop.continuation')).toMatchObject({ kind: 'stop', again: true })
    expect(recorded('stop.session-end').kind).toBe('session-end')
  })

  test('T10: a compaction is announced, then done: only then the conversation begins anew', () => {
    expect(recorded('pre_compact.auto')).toMatchObject({ kind: 'compaction', phase: 'announced' })
    expect(recorded('post_compact.auto')).toMatchObject({ kind: 'session-start', source: 'compact' })
  })
})

describe('calls', () => {
  const call = (name: string) => {
    const moment = recorded(name)
    if (!('call' in moment)) throw new Error(`${name} has no call`)
    return moment.call
  }

  test('canonical names, commands, paths and content', () => {
    expect(call('pre_tool_use.shell')).toMatchObject({
      tool: 'shell',
      harnessTool: 'run_terminal_command',
      command: 'echo out-ok',
      paths: [],
    })
    expect(call('pre_tool_use.read')).toMatchObject({
      tool: 'read',
      paths: [{ path: '/home/dev/project/src/a.ts', real: '/real/dev/project/src/a.ts', access: 'read' }],
    })
    expect(call('pre_tool_use.edit')).toMatchObject({ tool: 'edit', content: 'a = 10', paths: [{ access: 'write' }] })
    expect(call('pre_tool_use.write')).toMatchObject({
      tool: 'write',
      content: 'export const n = 1;\n',
      paths: [{ path: '/home/dev/project/src/new.ts', access: 'write', whole: true }],
    })
    expect(call('pre_tool_use.grep')).toMatchObject({ tool: 'search', paths: [{ path: '/home/dev/project/src', access: 'read' }] })
    expect(call('pre_tool_use.list_dir')).toMatchObject({ tool: 'search' })
    expect(call('pre_tool_use.spawn_subagent')).toMatchObject({ tool: 'task', paths: [] })
    expect(call('pre_tool_use.mcp')).toMatchObject({ tool: 'mcp:lab/echo_ok', harnessTool: 'lab__echo_ok' })
  })

  test('a server`s name may hold the split', () => {
    expect(canonicalTool('my__lab__echo', 'my__lab')).toBe('mcp:my__lab/echo')
    expect(canonicalTool('my__lab__echo', null)).toBe('mcp:my/lab__echo')
    expect(canonicalTool('lab__', null)).toBe('lab__')
    expect(canonicalTool('todo_write', null)).toBe('todo_write')
  })

  test('M9: an input that was cut still tells its path and the beginning of its content', () => {
    const cut = call('post_tool_use.truncated-payload')
    expect(cut.paths).toMatchObject([{ path: '/home/dev/project/src/big.txt', access: 'write', whole: true }])
    expect(cut.content).toMatch(/^y/)
    const shell = changed('pre_tool_use.shell', { toolInput: '{"timeout":5,"command":"rm -rf \\"a\\" \\u00e9 [truncated]' })
    expect(shell).toMatchObject({ call: { command: 'rm -rf "a" é' } })
    const escape = changed('pre_tool_use.shell', { toolInput: '{"command":"rm -rf \\u00 [truncated]' })
    expect(escape).toMatchObject({ call: { command: 'rm -rf ' } })
  })
})

describe('results', () => {
  const result = (name: string) => {
    const moment = recorded(name)
    if (moment.kind !== 'after-tool') throw new Error(`${name} has no result`)
    return moment.result
  }

  test('R1: the end of a call is told by its result, in each tool`s own way', () => {
    expect(result('post_tool_use.shell-ok')).toEqual({ state: 'ok', exitCode: 0, output: 'out-ok\n' })
    expect(result('post_tool_use.shell-exit3')).toEqual({ state: 'failed', exitCode: 3, output: 'bad\n' })
    expect(result('post_tool_use.read-ok')).toEqual({ state: 'ok', output: 'export const a = 1;\nexport const b = 2;\n' })
    expect(result('post_tool_use.read-missing')).toMatchObject({ state: 'failed', output: expect.stringContaining('does not exist') })
    expect(result('post_tool_use.edit-ok')).toMatchObject({ state: 'ok' })
    expect(result('post_tool_use.edit-nomatch')).toMatchObject({ state: 'failed' })
    expect(result('post_tool_use.write-ok')).toMatchObject({ state: 'ok', output: expect.stringContaining('has been created') })
    expect(result('post_tool_use.grep-ok')).toMatchObject({ state: 'ok', output: '<workspace_re' })
    expect(result('post_tool_use.list_dir-ok')).toMatchObject({ state: 'ok', output: expect.stringContaining('a.ts') })
    expect(result('post_tool_use.mcp-ok')).toEqual({ state: 'ok', output: 'mcp:hi' })
    expect(result('post_tool_use_failure.mcp')).toEqual({ state: 'failed', output: 'Failed to call echo_fail: mcp failed: no' })
    expect(result('post_tool_use.spawn_subagent')).toEqual({ state: 'ok', output: 'child final 2' })
  })

  test('R8: what goes on in the background, or was cut, has neither failed nor gone well', () => {
    expect(result('post_tool_use.shell-backgrounded').state).toBe('unknown')
    expect(result('post_tool_use.truncated-payload').state).toBe('unknown')
    const shell = (more: object) => changed('post_tool_use.shell-ok', { toolResult: { type: 'Bash', output_for_prompt: 'x', ...more } })
    expect(shell({ exit_code: null })).toMatchObject({ result: { state: 'unknown', output: 'x' } })
    expect(shell({ exit_code: null, timed_out: true })).toMatchObject({ result: { state: 'failed' } })
    expect(changed('post_tool_use_failure.mcp', { isInterrupt: true })).toMatchObject({ result: { state: 'unknown' } })
  })

  test('a long output is a cut list of bytes', () => {
    const cut = changed('post_tool_use.shell-ok', { toolResult: '{"type":"Bash","output":[111,107,10,11 [truncated]' })
    expect(cut).toMatchObject({ result: { state: 'unknown', output: 'ok\n\v' } })
  })
})

describe('any input', () => {
  test('S9: older versions, without the second spelling, are decoded and recognised', () => {
    for (const { name, event } of recordedEvents()) {
      const [now, older] = [recorded(name), decoded(asOlder(event))]
      expect({ ...older, event: '', deliveryId: '' }).toEqual({ ...now, event: '', deliveryId: '' })
      expect(harness.profileOf?.(now)).toBe(harness.profile)
      expect(harness.profileOf?.(older)?.seams).toMatchObject({ 'before-tool': { inject: null, deny: true } })
    }
  })

  test('what is no event is refused', () => {
    for (const event of [null, 3, 'x', [], {}, { sessionId: 's' }, { hookEventName: 'stop' }, { sessionId: 5, hookEventName: 'stop' }])
      expect(harness.decode(event, 0).ok).toBe(false)
  })

  test('what is not known is `other`', () => {
    expect(decoded({ sessionId: 's', hookEventName: 'new_event' })).toMatchObject({ kind: 'other', cwd: '/', records: null })
    expect(decoded({ sessionId: 's', hookEventName: 'pre_tool_use' }).kind).toBe('other')
  })

  test('fields of any type, missing fields and unknown ones never throw', () => {
    const names = [...new Set([...events.values()].flatMap((event) => Object.keys(Object(event))))]
    fc.assert(
      fc.property(
        fc.constantFrom(...events.values()),
        fc.dictionary(fc.constantFrom(...names, 'unknown'), fc.jsonValue()),
        (event, more) => {
          harness.decode({ ...Object(event), ...more }, 0)
        },
      ),
    )
  })

  test('a cut input of any kind never throws', () => {
    const event = Object(events.get('pre_tool_use.shell'))
    fc.assert(
      fc.property(fc.string(), fc.json(), (text, json) => {
        harness.decode({ ...event, toolInput: text }, 0)
        harness.decode({ ...event, toolInput: `{"command":${json.slice(0, -1)}` }, 0)
        harness.decode({ ...event, hookEventName: 'post_tool_use', toolResult: json.slice(0, -1) }, 0)
      }),
    )
  })
})
