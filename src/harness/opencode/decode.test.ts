import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Moment } from '../../core/moment.ts'
import { decode as decodeWith } from './decode.ts'
import { canonicalTool, pathsOf, resultOf } from './decode-tool.ts'
import { POSTED, recordedEvents } from './recorded.fixture.ts'

const real = (path: string) => path.replace('/home/dev', '/real/dev')
const events = recordedEvents()

function decoded(event: object): Moment {
  const result = decodeWith(event, 7, real)
  if (!result.ok) throw new Error(result.why)
  return result.moment
}

const posted = (name: string, more: object = {}) => decoded({ ...POSTED, ...events.get(name), ...more })

/** Kind of each recorded hook call; `told` where the harness only tells of it. */
const KINDS: Readonly<Record<string, string>> = {
  'chat.headers': 'other',
  'chat.message': 'prompt',
  'chat.message.appended': 'prompt',
  'chat.message.file-part': 'prompt',
  'chat.message.from-command': 'prompt',
  'chat.message.subagent': 'prompt',
  'chat.params.build': 'other',
  'chat.params.title': 'other',
  'command.execute.before': 'other',
  'command.execute.before.subtask': 'other',
  config: 'the event has no session',
  'event.command.executed': 'other',
  'event.message.part.updated.compaction': 'other',
  'event.message.part.updated.completed': 'other',
  'event.message.part.updated.denied-error': 'after-tool told',
  'event.message.part.updated.denied-pending': 'other',
  'event.message.part.updated.denied-running': 'other',
  'event.message.part.updated.task-running': 'other',
  'event.message.part.updated.tool-error': 'after-tool told',
  'event.message.updated.assistant': 'other',
  'event.message.updated.user': 'other',
  'event.permission.asked': 'other',
  'event.permission.asked.doom-loop': 'other',
  'event.permission.replied': 'other',
  'event.session.compacted': 'session-start told',
  'event.session.created': 'other',
  'event.session.created.child': 'other',
  'event.session.error': 'other',
  'event.session.idle': 'stop',
  'event.session.status.busy': 'other',
  'experimental.chat.messages.transform': 'other',
  'experimental.chat.system.transform': 'other',
  'experimental.compaction.autocontinue': 'session-start',
  'experimental.session.compacting': 'compaction',
  'experimental.text.complete': 'other',
  'plugin-init': 'the event has no session',
  'shell.env': 'other',
  'shell.env.user-shell': 'other',
  'tool.definition': 'the event has no session',
  'tool.execute.after.apply_patch': 'after-tool',
  'tool.execute.after.bash-aborted': 'after-tool',
  'tool.execute.after.bash-fail': 'after-tool',
  'tool.execute.after.bash-ok': 'after-tool',
  'tool.execute.after.bash-timeout': 'after-tool',
  'tool.execute.after.bash-truncated': 'after-tool',
  'tool.execute.after.custom-tool': 'after-tool',
  'tool.execute.after.edit': 'after-tool',
  'tool.execute.after.glob': 'after-tool',
  'tool.execute.after.grep': 'after-tool',
  'tool.execute.after.invalid': 'after-tool',
  'tool.execute.after.mcp': 'after-tool',
  'tool.execute.after.read': 'after-tool',
  'tool.execute.after.read-nested-agents': 'after-tool',
  'tool.execute.after.read-nested-agents-second': 'after-tool',
  'tool.execute.after.subtask-command': 'after-tool',
  'tool.execute.after.task': 'after-tool',
  'tool.execute.after.todowrite': 'after-tool',
  'tool.execute.after.write': 'after-tool',
  'tool.execute.before.apply_patch': 'before-tool',
  'tool.execute.before.args-mutated': 'before-tool',
  'tool.execute.before.args-replaced': 'before-tool',
  'tool.execute.before.bash-fail': 'before-tool',
  'tool.execute.before.bash-ok': 'before-tool',
  'tool.execute.before.custom-tool': 'before-tool',
  'tool.execute.before.denied': 'before-tool',
  'tool.execute.before.edit': 'before-tool',
  'tool.execute.before.edit-no-match': 'before-tool',
  'tool.execute.before.glob': 'before-tool',
  'tool.execute.before.grep': 'before-tool',
  'tool.execute.before.in-subagent': 'before-tool',
  'tool.execute.before.invalid': 'before-tool',
  'tool.execute.before.invalid-arguments': 'before-tool',
  'tool.execute.before.mcp': 'before-tool',
  'tool.execute.before.mcp-iserror': 'before-tool',
  'tool.execute.before.mcp-rpc-error': 'before-tool',
  'tool.execute.before.read': 'before-tool',
  'tool.execute.before.read-missing-file': 'before-tool',
  'tool.execute.before.subtask-command': 'before-tool told',
  'tool.execute.before.task': 'before-tool',
  'tool.execute.before.todowrite': 'before-tool',
  'tool.execute.before.write': 'before-tool',
}

describe('hook calls and events', () => {
  test('each recorded one has its kind', () => {
    const kinds = Object.fromEntries(
      [...events].map(([name, event]) => {
        const result = decodeWith({ ...POSTED, ...event }, 7, real)
        return [name, result.ok ? `${result.moment.kind}${result.moment.noSeam ? ' told' : ''}` : result.why]
      }),
    )
    expect(kinds).toEqual(KINDS)
  })

  test('what all moments have', () => {
    expect(posted('tool.execute.before.bash-ok')).toMatchObject({
      harness: 'opencode',
      version: '1.18.33',
      session: 'ses_dd31c421fffelxeOLR6uI1Uuyu',
      agent: null,
      context: 'opencode/ses_dd31c421fffelxeOLR6uI1Uuyu',
      event: 'tool.execute.before',
      cwd: '/home/dev/project',
      records: '/home/dev/.local/share/opencode/opencode.db#ses_dd31c421fffelxeOLR6uI1Uuyu',
      at: 7,
    })
  })

  test('T9: a subagent`s session is an agent of its parent`s session, with records of its own', () => {
    const child = 'ses_dd31c264fffeFinGaAKSUV7f1D'
    const moment = posted('tool.execute.before.in-subagent', { parent: 'ses_parent', agent: 'general' })
    expect(moment).toMatchObject({ session: 'ses_parent', agent: child, agentType: 'general', context: `opencode/ses_parent/${child}` })
    expect(moment.records).toBe(`${POSTED.records}#${child}`)
    expect(posted('event.session.idle', { parent: 'ses_parent' }).kind).toBe('subagent-stop')
    expect(posted('chat.message.subagent', { parent: 'ses_parent' })).toMatchObject({ kind: 'prompt', machineMade: true })
    const start = { ...POSTED, hook: 'contextmd.session-start', input: { sessionID: 'ses_child', source: 'startup' } }
    expect(decoded({ ...start, parent: 'ses_parent' }).kind).toBe('subagent-start')
    expect(decoded(start)).toMatchObject({ kind: 'session-start', source: 'startup' })
  })

  test('T12: a prompt is unique by its message, a call by its message and its id, and neither without', () => {
    const session = 'ses_dd31c421fffelxeOLR6uI1Uuyu'
    expect(posted('chat.message').deliveryId).toBe(`${session}/chat.message/msg_22ce3be120019dULvUaHNua8QZ`)
    expect(posted('chat.message').turn).toBe('msg_22ce3be120019dULvUaHNua8QZ')
    expect(posted('tool.execute.before.bash-ok').deliveryId).toBeNull()
    expect(posted('tool.execute.before.bash-ok', { messageID: 'msg_1' }).deliveryId).toBe(`${session}/tool.execute.before/msg_1/call_6_0`)
    expect(posted('event.session.idle').deliveryId).toBeNull()
  })

  test('a prompt is what the person typed: nothing that the program or a plugin added', () => {
    expect(posted('chat.message')).toMatchObject({ text: 'do the thing', machineMade: false })
    expect(posted('chat.message.file-part')).toMatchObject({ text: 'look at @sub/x.txt', machineMade: false })
    const parts = [{ type: 'text', text: 'Continue', synthetic: true }]
    expect(posted('chat.message', { output: { message: { id: 'm' }, parts } })).toMatchObject({ text: '', machineMade: true })
  })

  test('a file in a message is a path that was read, and only told of', () => {
    const event = { ...POSTED, hook: 'contextmd.file', input: { sessionID: 's', url: 'file:///home/dev/project/sub/x.txt?start=3' } }
    const path = '/home/dev/project/sub/x.txt'
    expect(decoded(event)).toMatchObject({
      kind: 'before-tool',
      noSeam: true,
      call: { tool: 'read', paths: [{ path, real: real(path), access: 'read' }] },
    })
    expect(decoded({ ...event, input: { sessionID: 's', url: 'data:text/plain,x' } }).kind).toBe('other')
  })

  test('the newer routes, which ask no plugin, are a problem that health names', () => {
    const event = { ...POSTED, hook: 'event', input: { event: { type: 'session.next.step.started', properties: { sessionID: 's' } } } }
    expect(decodeWith(event, 7, real)).toMatchObject({ ok: true, moment: { kind: 'other' }, problem: { code: 'opencode_beside_plugins' } })
  })

  test('unknown hooks, events and fields are passed over', () => {
    expect(posted('chat.message', { hook: 'tool.execute.around' }).kind).toBe('other')
    expect(posted('tool.execute.before.bash-ok', { novelty: { a: 1 } }).kind).toBe('before-tool')
    expect(posted('event.session.idle', { input: { event: { type: 'session.napped', properties: { sessionID: 's' } } } }).kind).toBe(
      'other',
    )
  })

  test('never throws, whatever is posted', () => {
    const hook = fc.constantFrom(...new Set([...events.values()].map((event) => event.hook)), 'contextmd.session-start', 'contextmd.file')
    fc.assert(fc.property(fc.record({ hook, input: fc.anything(), output: fc.anything() }), (event) => void decodeWith(event, 0, real)))
    fc.assert(fc.property(fc.anything(), (event) => void decodeWith(event, 0, real)))
  })
})

describe('calls', () => {
  test('tools have their canonical names; an MCP tool that of its server, where the plugin knows it', () => {
    const names = ['bash', 'read', 'edit', 'apply_patch', 'write', 'grep', 'glob', 'webfetch', 'task', 'todowrite', 'toString']
    expect(names.map((name) => canonicalTool(name, null)).join()).toBe(
      'shell,read,edit,edit,write,search,search,fetch,task,todowrite,toString',
    )
    expect(canonicalTool('lab_add', 'lab')).toBe('mcp:lab/add')
    expect(canonicalTool('my_lab_add', 'my lab')).toBe('mcp:my lab/add')
    expect(canonicalTool('lab_echo', null)).toBe('lab_echo')
    expect(posted('tool.execute.before.mcp', { mcpServer: 'lab' })).toMatchObject({ call: { tool: 'mcp:lab/add', harnessTool: 'lab_add' } })
  })

  test('commands, files and text about to be written', () => {
    expect(posted('tool.execute.before.bash-fail')).toMatchObject({
      call: { id: 'call_7_0', command: 'echo partial; exit 3', cwd: '/home/dev/project' },
    })
    expect(posted('tool.execute.before.read')).toMatchObject({ call: { paths: [{ path: '/home/dev/project/a.txt', access: 'read' }] } })
    expect(posted('tool.execute.before.write')).toMatchObject({
      call: {
        content: 'fresh\n',
        paths: [{ path: '/home/dev/project/new.txt', real: '/real/dev/project/new.txt', access: 'write', whole: true }],
      },
    })
    expect(posted('tool.execute.before.edit')).toMatchObject({
      call: { content: 'earth', paths: [{ path: '/home/dev/project/a.txt', access: 'write' }] },
    })
    expect(posted('tool.execute.before.invalid-arguments')).toMatchObject({ call: { tool: 'shell', paths: [] } })
  })

  test('M5: apply_patch names its files in its text only', () => {
    expect(posted('tool.execute.before.apply_patch')).toMatchObject({
      call: {
        tool: 'edit',
        content: 'ALPHA\nnew',
        paths: [
          { path: '/home/dev/project/p.txt', access: 'write' },
          { path: '/home/dev/project/q.txt', access: 'write', whole: true },
        ],
      },
    })
    const moved = '*** Begin Patch\r\n*** Update File: a.txt\r\n*** Move to: /b.txt\r\n*** Delete File: c.txt\r\n*** End Patch'
    expect(pathsOf('apply_patch', { patchText: moved }, '/p').map(({ path }) => path)).toEqual(['/p/a.txt', '/b.txt', '/p/c.txt'])
  })

  test('a shell call runs in the folder that it names', () => {
    const args = { command: 'ls', workdir: 'sub' }
    expect(posted('tool.execute.before.bash-ok', { output: { args } })).toMatchObject({ call: { cwd: '/home/dev/project/sub' } })
  })
})

describe('results', () => {
  const state = (name: string, more: object = {}) => {
    const moment = posted(name, more)
    return moment.kind === 'after-tool' ? moment.result : null
  }

  test('a shell command that failed is known by its exit code, which only the metadata has', () => {
    expect(state('tool.execute.after.bash-fail')).toEqual({ state: 'failed', exitCode: 3, output: 'partial\n' })
    expect(state('tool.execute.after.bash-ok')).toEqual({ state: 'ok', exitCode: 0, output: 'out1\nerr1\n' })
  })

  test('R8: without a numeric exit code nothing is known', () => {
    expect(state('tool.execute.after.bash-aborted')?.state).toBe('unknown')
    expect(state('tool.execute.after.bash-timeout')?.state).toBe('unknown')
    expect(resultOf('bash', { output: 'x', metadata: { exit: '0' } }).state).toBe('unknown')
  })

  test('MCP tools give a list of content', () => {
    expect(state('tool.execute.after.mcp')).toEqual({ state: 'ok', output: '5' })
  })

  test('a tool that does not exist has failed', () => {
    expect(state('tool.execute.after.invalid')?.state).toBe('failed')
  })

  test('of other failures only the bus tells', () => {
    expect(state('event.message.part.updated.tool-error')).toEqual({
      state: 'failed',
      output: 'File not found: /home/dev/project/missing.txt',
    })
  })

  test('M7: a denied call is no failed one', () => {
    expect(posted('event.message.part.updated.denied-error', { wasDenied: true }).kind).toBe('refused')
    const refusedWith = (error: string) => {
      const part = { type: 'tool', tool: 'bash', callID: 'c', state: { status: 'error', input: { command: 'ls' }, error } }
      return decoded({ ...POSTED, hook: 'event', input: { event: { type: 'message.part.updated', properties: { sessionID: 's', part } } } })
    }
    expect(refusedWith('The user rejected permission to use this specific tool call.').kind).toBe('refused')
    expect(refusedWith('The user has specified a rule which prevents you from using this specific tool call. Here are …').kind).toBe(
      'refused',
    )
    expect(refusedWith('Tool execution aborted')).toMatchObject({ kind: 'after-tool', result: { state: 'unknown' } })
  })
})
