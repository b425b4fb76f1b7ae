import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Moment } from '../../core/moment.ts'
import { claudeCodeHarness } from './claude-code.ts'
import { canonicalTool } from './decode-tool.ts'
import { recordedEvents } from './session.fixture.ts'

const harness = claudeCodeHarness({ readsIn: () => [], real: (path) => path.replace('/home/dev', '/real/dev') })
const SESSION = '00000000-0000-4000-8000-000000000001'
const FILE = `/home/dev/.claude/projects/-home-dev-project/${SESSION}.jsonl`
const PROMPT = '00000000-0000-4000-8000-000000000002'

function decoded(event: unknown): Moment {
  const result = harness.decode(event, 7)
  if (!result.ok) throw new Error(result.why)
  return result.moment
}

const events = new Map(recordedEvents().map(({ name, event }) => [name, event]))
const recorded = (name: string) => decoded(events.get(name))

/** Kind of each recorded event, and what makes it unique. */
const KINDS: Readonly<Record<string, string>> = {
  ConfigChange: 'other',
  CwdChanged: 'other',
  DirectoryAdded: 'other',
  Elicitation: 'other',
  ElicitationResult: 'other',
  FileChanged: 'other',
  'InstructionsLoaded.compact': 'loaded',
  'InstructionsLoaded.nested_traversal': 'loaded',
  'InstructionsLoaded.path_glob_match': 'loaded',
  'InstructionsLoaded.session_start': 'loaded',
  MessageDisplay: 'other',
  'Notification.elicitation_response': 'other',
  PermissionDenied: `refused ${SESSION}/PermissionDenied/toolu_0001`,
  PermissionRequest: 'other',
  'PostCompact.auto': 'compaction',
  'PostCompact.manual': 'compaction',
  PostModelSwitch: 'other',
  'PostToolBatch.denied': `batch-end ${SESSION}/PostToolBatch/toolu_0001`,
  'PostToolBatch.parallel-one-denied': `batch-end ${SESSION}/PostToolBatch/toolu_0003`,
  'PostToolBatch.rejected-before-hooks': `batch-end ${SESSION}/PostToolBatch/toolu_0001`,
  'PostToolBatch.single': `batch-end ${SESSION}/PostToolBatch/toolu_0002`,
  'PostToolUse.Agent': `after-tool ${SESSION}/PostToolUse/toolu_0013`,
  'PostToolUse.Bash': `after-tool ${SESSION}/PostToolUse/toolu_0004`,
  'PostToolUse.Edit': `after-tool ${SESSION}/PostToolUse/toolu_0007`,
  'PostToolUse.Read': `after-tool ${SESSION}/PostToolUse/toolu_0003`,
  'PostToolUse.Write': `after-tool ${SESSION}/PostToolUse/toolu_0008`,
  'PostToolUse.mcp': `after-tool ${SESSION}/PostToolUse/toolu_0011`,
  'PostToolUse.subagent-Bash': `after-tool ${SESSION}/PostToolUse/toolu_0014`,
  'PostToolUseFailure.Bash': `after-tool ${SESSION}/PostToolUseFailure/toolu_0002`,
  'PostToolUseFailure.Read': `after-tool ${SESSION}/PostToolUseFailure/toolu_0009`,
  'PostToolUseFailure.mcp': `after-tool ${SESSION}/PostToolUseFailure/toolu_0012`,
  'PreCompact.auto': 'compaction',
  'PreCompact.manual': 'compaction',
  PreModelSwitch: 'other',
  PreSkillShellCommand: 'other',
  'PreToolUse.Agent': `before-tool ${SESSION}/PreToolUse/toolu_0013`,
  'PreToolUse.Bash': `before-tool ${SESSION}/PreToolUse/toolu_0001`,
  'PreToolUse.Edit': `before-tool ${SESSION}/PreToolUse/toolu_0007`,
  'PreToolUse.Read': `before-tool ${SESSION}/PreToolUse/toolu_0003`,
  'PreToolUse.Skill': `before-tool ${SESSION}/PreToolUse/toolu_0001`,
  'PreToolUse.ToolSearch': `before-tool ${SESSION}/PreToolUse/toolu_0015`,
  'PreToolUse.Write': `before-tool ${SESSION}/PreToolUse/toolu_0008`,
  'PreToolUse.mcp': `before-tool ${SESSION}/PreToolUse/toolu_0011`,
  'PreToolUse.subagent-Bash': `before-tool ${SESSION}/PreToolUse/toolu_0014`,
  'SessionEnd.clear': 'session-end',
  'SessionEnd.other': 'session-end',
  'SessionEnd.prompt_input_exit': 'session-end',
  'SessionStart.clear': 'session-start',
  'SessionStart.compact': 'session-start',
  'SessionStart.fork': 'session-start',
  'SessionStart.resume': 'session-start',
  'SessionStart.startup.interactive': 'session-start',
  'SessionStart.startup': 'session-start',
  'Setup.init': 'other',
  'Stop.active': 'stop',
  'Stop.background-task': 'stop',
  Stop: 'stop',
  StopFailure: 'stop',
  SubagentStart: `subagent-start ${SESSION}/SubagentStart/a0000000000000001`,
  'SubagentStop.compaction-worker': 'other',
  SubagentStop: 'subagent-stop',
  TaskCompleted: 'other',
  TaskCreated: 'other',
  UserPromptExpansion: 'other',
  UserPromptSubmit: `prompt ${SESSION}/UserPromptSubmit/${PROMPT}`,
  'UserPromptSubmit.slash-command': `prompt ${SESSION}/UserPromptSubmit/${PROMPT}`,
  'UserPromptSubmit.task-notification': `prompt ${SESSION}/UserPromptSubmit/${PROMPT}`,
  WorktreeCreate: 'other',
  WorktreeRemove: 'other',
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
    expect(recorded('PreToolUse.Bash')).toMatchObject({
      harness: 'claude-code',
      session: SESSION,
      agent: null,
      context: `claude-code/${SESSION}`,
      event: 'PreToolUse',
      turn: PROMPT,
      cwd: '/home/dev/project',
      records: FILE,
      at: 7,
    })
    expect(recorded('SessionStart.startup').turn).toBeNull()
  })

  test('T9: a subagent is a context of its own, with its own records', () => {
    const own = {
      agent: 'a0000000000000001',
      agentType: 'general-purpose',
      context: `claude-code/${SESSION}/a0000000000000001`,
      records: FILE.replace('.jsonl', '/subagents/agent-a0000000000000001.jsonl'),
    }
    expect(recorded('PreToolUse.subagent-Bash')).toMatchObject(own)
    expect(recorded('SubagentStart')).toMatchObject(own)
    expect(recorded('SubagentStop')).toMatchObject(own)
    expect(recorded('PreToolUse.Agent')).toMatchObject({ agent: null, context: `claude-code/${SESSION}` })
  })

  test('T13: a notice of a background agent is no prompt of a person', () => {
    expect(recorded('UserPromptSubmit')).toMatchObject({ text: 'Please push the branch', machineMade: false })
    expect(recorded('UserPromptSubmit.slash-command')).toMatchObject({ text: '/hello team', machineMade: false })
    expect(recorded('UserPromptSubmit.task-notification')).toMatchObject({ machineMade: true })
  })

  test('T10: a compaction that is announced is told from one that is done', () => {
    expect(recorded('PreCompact.auto')).toMatchObject({ kind: 'compaction', phase: 'announced' })
    expect(recorded('PostCompact.auto')).toMatchObject({ kind: 'compaction', phase: 'done' })
    expect(recorded('SessionStart.compact')).toMatchObject({ kind: 'session-start', source: 'compact' })
  })

  test('a source that is not known is taken for a resume', () => {
    const event = { session_id: 's', hook_event_name: 'SessionStart', source: 'teleport' }
    expect(decoded(event)).toMatchObject({ source: 'resume', records: null, cwd: '/' })
  })

  test('a stop', () => {
    expect(recorded('Stop')).toMatchObject({ kind: 'stop', again: false })
    expect(recorded('Stop.active')).toMatchObject({ kind: 'stop', again: true })
    expect(recorded('StopFailure')).toMatchObject({ kind: 'stop', again: false })
  })

  test('what the harness loaded itself', () => {
    expect(recorded('InstructionsLoaded.nested_traversal')).toMatchObject({ path: '/home/dev/project/pkg/CLAUDE.md' })
  })

  test('the end of a batch names every call with what the model gets for it', () => {
    expect(recorded('PostToolBatch.parallel-one-denied')).toMatchObject({
      calls: [
        { id: 'toolu_0003', output: '1\texport const a = 1;\n2\t' },
        { id: 'toolu_0004', output: 'one' },
        { id: 'toolu_0005', output: expect.stringContaining('never print secrets.env') },
      ],
    })
  })
})

describe('calls and results', () => {
  test('the command and the folder of a shell call', () => {
    expect(recorded('PreToolUse.Bash')).toMatchObject({
      call: { id: 'toolu_0001', tool: 'shell', harnessTool: 'Bash', command: 'git push origin main', cwd: '/home/dev/project', paths: [] },
    })
  })

  test('files and texts of the tools for files', () => {
    const src = { path: '/home/dev/project/src.ts', real: '/real/dev/project/src.ts' }
    expect(recorded('PreToolUse.Read')).toMatchObject({ call: { tool: 'read', paths: [{ ...src, access: 'read' }] } })
    expect(recorded('PreToolUse.Edit')).toMatchObject({ call: { tool: 'edit', paths: [{ ...src, access: 'write' }], content: 'a = 2' } })
    const made = { path: '/home/dev/project/new.ts', access: 'write', whole: true }
    expect(recorded('PreToolUse.Write')).toMatchObject({ call: { tool: 'write', paths: [made], content: 'export {};\n' } })
  })

  test('tools that this version does not offer any more, and relative paths', () => {
    const call = (tool_name: string, tool_input: object) =>
      decoded({ session_id: 's', hook_event_name: 'PreToolUse', cwd: '/p', tool_name, tool_input, tool_use_id: 't' })
    expect(call('MultiEdit', { file_path: 'a/../b.ts', edits: [{ new_string: 'x' }, { new_string: 'y' }, 3] })).toMatchObject({
      call: { tool: 'edit', paths: [{ path: '/p/b.ts', access: 'write' }], content: 'x\ny' },
    })
    expect(call('NotebookEdit', { notebook_path: '/n.ipynb', new_source: 'z' })).toMatchObject({
      call: { tool: 'edit', paths: [{ path: '/n.ipynb', access: 'write' }], content: 'z' },
    })
    expect(call('Grep', { pattern: 'x', path: 'src' })).toMatchObject({
      call: { tool: 'search', paths: [{ path: '/p/src', access: 'read' }] },
    })
    expect(call('WebFetch', { url: 'x' })).toMatchObject({ call: { tool: 'fetch', paths: [] } })
    expect(call('constructor', {})).toMatchObject({ call: { tool: 'constructor' } })
  })

  test('names of MCP tools, with the separator inside them too', () => {
    expect(canonicalTool('mcp__docs__echo', 'docs')).toBe('mcp:docs/echo')
    expect(canonicalTool('mcp__docs__echo', null)).toBe('mcp:docs/echo')
    expect(canonicalTool('mcp__my__docs__do__it', 'my__docs')).toBe('mcp:my__docs/do__it')
    expect(canonicalTool('mcp__my_docs__do__it', 'my docs')).toBe('mcp:my_docs/do__it')
    expect(canonicalTool('mcp__docs', null)).toBe('mcp__docs')
    expect(canonicalTool('mcp____x', null)).toBe('mcp____x')
  })

  test('results as text', () => {
    const result = (name: string) => {
      const moment = recorded(name)
      return moment.kind === 'after-tool' ? moment.result : null
    }
    expect(result('PostToolUse.Bash')).toEqual({ state: 'ok', output: 'one' })
    expect(result('PostToolUse.Read')).toEqual({ state: 'ok', output: 'export const a = 1;\n' })
    expect(result('PostToolUse.mcp')).toEqual({ state: 'ok', output: 'echo: hi' })
    expect(result('PostToolUse.Agent')?.output).toContain('There are two files.')
    expect(result('PostToolUse.Edit')?.output).toContain('"filePath":"/home/dev/project/src.ts"')
    expect(result('PostToolUseFailure.Bash')).toMatchObject({ state: 'failed', exitCode: 128 })
    expect(result('PostToolUseFailure.Read')).toEqual({
      state: 'failed',
      output: 'File does not exist. Note: your current working directory is /home/dev/project.',
    })
    expect(result('PostToolUseFailure.mcp')).toEqual({ state: 'failed', output: 'mcp tool failed on purpose' })
  })

  test('a person`s interruption is no failure', () => {
    const event = {
      session_id: 's',
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_input: {},
      error: 'x',
      is_interrupt: true,
    }
    expect(decoded(event)).toMatchObject({ call: { id: null }, result: { state: 'unknown', output: 'x' }, deliveryId: null })
  })

  test('both outputs of a command', () => {
    const tool_response = { stdout: 'out', stderr: 'err' }
    const event = { session_id: 's', hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {}, tool_response }
    expect(decoded(event)).toMatchObject({ result: { state: 'ok', output: 'out\nerr' } })
  })
})

describe('anything else', () => {
  test('what is no event is refused', () => {
    for (const event of [null, 1, 'x', [], {}, { session_id: '' }, { session_id: 7, hook_event_name: 'Stop' }, { session_id: 's' }]) {
      expect(harness.decode(event, 0).ok).toBe(false)
    }
  })

  test('an event of a later version is a moment of no use', () => {
    expect(decoded({ session_id: 's', hook_event_name: 'Brandnew', more: [1] })).toMatchObject({ kind: 'other', event: 'Brandnew' })
  })

  test('never throws', () => {
    const names = [...new Set([...events.keys()].map((name) => name.split('.')[0]))]
    const event = fc.record(
      {
        session_id: fc.string(),
        hook_event_name: fc.constantFrom(...names),
        tool_name: fc.oneof(fc.anything(), fc.constantFrom('Bash', 'Read', 'MultiEdit', 'mcp__a__b')),
        tool_input: fc.anything(),
        tool_response: fc.anything({ withNullPrototype: true }),
        tool_calls: fc.anything(),
        tool_use_id: fc.anything(),
        transcript_path: fc.anything(),
        cwd: fc.anything(),
        agent_id: fc.anything(),
        prompt: fc.anything(),
        error: fc.anything(),
      },
      { requiredKeys: ['session_id', 'hook_event_name'] },
    )
    // what a hook posts is JSON
    fc.assert(fc.property(event, (value) => void harness.decode(JSON.parse(JSON.stringify(value, plain)), 0)))
  })
})

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
