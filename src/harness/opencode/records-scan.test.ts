import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryHead } from '../../match/entry-read.ts'
import {
  added,
  answer,
  callId,
  claimOf,
  compaction,
  factsOf,
  failed,
  fileOf,
  marked,
  ran,
  recorded,
  recordedLogs,
  removed,
  step,
  summary,
  tool,
  user,
} from './log.fixture.ts'
import { opencodeRecords } from './records.ts'

const RULE = 'Commit messages are short.'
const TEXT = `Rules:\n${marked('m.1', RULE)}`
const AT_MESSAGE = claimOf('m.1', RULE)
const AT_RESULT = claimOf('m.1', RULE, { moment: 'after-tool', event: 'tool.execute.after', call: callId('c1') })
const AT_DENY = claimOf(
  'm.1',
  RULE,
  { moment: 'before-tool', event: 'tool.execute.before', call: callId('c1'), way: 'reason' },
  { role: 'hold' },
)

const shown = (answered: boolean) => ({ kind: 'claim', claim: 'm.1', found: 'whole', answered })
const turn = (message: string) => [step(message), answer(message)]

describe('texts in messages', () => {
  test('shown: whole in a message, and a step that was made after it has begun', () => {
    const sent = [user('u1'), added('u1', TEXT), step('a1')]
    expect(factsOf(sent, { claims: [AT_MESSAGE] })).toEqual([shown(false)])
    expect(factsOf([...sent, answer('a1')], { claims: [AT_MESSAGE] })).toEqual([shown(true)])
  })

  test('a step that was made before does not answer it, though it begins later: the person typed while it ran', () => {
    const rows = [user('u1'), step('a1'), user('u2'), added('u2', TEXT), answer('a1')]
    expect(factsOf(rows, { claims: [AT_MESSAGE] })).toEqual([shown(false)])
    expect(factsOf([...rows, ...turn('a2')], { claims: [AT_MESSAGE] })).toEqual([shown(true)])
  })

  test('a request that fails is no answer: its step never begins', () => {
    expect(factsOf([user('u1'), added('u1', TEXT), step('a1'), step('a1', { error: {} })], { claims: [AT_MESSAGE] })).toEqual([
      shown(false),
    ])
  })

  test('G3: what a person typed, or the model wrote, is no place of ours', () => {
    const typed = [user('u1'), added('u1', TEXT, { synthetic: undefined }), ...turn('a1'), ...turn('a2')]
    expect(factsOf(typed, { claims: [AT_MESSAGE] })).toEqual([])
    expect(factsOf([...turn('a1'), added('a1', TEXT), ...turn('a2')], { claims: [AT_MESSAGE] })).toEqual([])
  })

  test('G4: another text behind the same mark is cut', () => {
    const rows = [user('u1'), added('u1', marked('m.1', `${RULE} And more.`)), ...turn('a1')]
    expect(factsOf(rows, { claims: [AT_MESSAGE] })).toEqual([{ kind: 'claim', claim: 'm.1', found: 'cut', answered: true }])
    const open = [user('u1'), added('u1', TEXT.slice(0, -20)), ...turn('a1')]
    expect(factsOf(open, { claims: [AT_MESSAGE] })).toMatchObject([{ found: 'cut' }])
  })

  test('in a recorded turn', () => {
    const rows = recorded('turn')
    const at = rows.findIndex((line) => line.includes('first prompt'))
    const message = /"messageID":"(msg_\w+)"/.exec(rows[at] ?? '')?.[1] ?? ''
    expect(factsOf(rows.toSpliced(at + 1, 0, added(message, TEXT)), { claims: [AT_MESSAGE] })).toEqual([shown(true)])
  })
})

describe('texts in results and errors', () => {
  test('a text behind a result is shown with the next step', () => {
    const rows = [user('u1'), ...turn('a1'), ran('a1', 'c1', 'ls', `a.txt\n\n${TEXT}`)]
    expect(factsOf(rows, { claims: [AT_RESULT] })).toEqual([shown(false)])
    expect(factsOf([...rows, ...turn('a2')], { claims: [AT_RESULT] })).toEqual([shown(true)])
  })

  test('a deny is the error of its call', () => {
    const rows = [user('u1'), ...turn('a1'), failed('a1', 'c1', TEXT)]
    expect(factsOf(rows, { claims: [AT_DENY] })).toEqual([shown(false)])
    expect(factsOf([...rows, ...turn('a2')], { claims: [AT_DENY] })).toEqual([shown(true)])
  })

  test('in a recorded turn: the call that was denied, and another one', () => {
    const rows = recorded('turn', { 'denied by lab': TEXT })
    const call = callId(/"callID":"(call_\w+)","tool":"bash","state":\{"status":"error"/.exec(rows.join('\n'))?.[1] ?? '')
    expect(call).not.toBe('')
    expect(factsOf(rows, { claims: [{ ...AT_DENY, place: { ...AT_DENY.place, call } }] })).toEqual([shown(true)])
    // G3: in another call's result it proves nothing
    expect(factsOf(rows, { claims: [{ ...AT_DENY, place: { ...AT_DENY.place, call: callId('call_other') } }] })).toEqual([])
  })

  test('G6: a call that still runs tells nothing', () => {
    const rows = [...turn('a1'), tool('a1', 'c1', 'bash', { status: 'running', input: {} })]
    expect(factsOf([...rows, ...turn('a2')], { claims: [AT_DENY, AT_RESULT] })).toEqual([])
  })

  test('finished without our text, and answered: hidden; and only then', () => {
    const denied = [...turn('a1'), failed('a1', 'c1', 'another plugin was quicker')]
    expect(factsOf(denied, { claims: [AT_DENY] })).toEqual([])
    expect(factsOf([...denied, ...turn('a2')], { claims: [AT_DENY] })).toEqual([
      { kind: 'claim', claim: 'm.1', found: 'replaced', answered: true },
    ])
    const result = [...turn('a1'), ran('a1', 'c1', 'ls', 'a.txt'), ...turn('a2')]
    expect(factsOf(result, { claims: [AT_RESULT] })).toEqual([{ kind: 'claim', claim: 'm.1', found: 'absent', answered: true }])
  })

  test('a call that ran although it was denied is told once', () => {
    const rows = [...turn('a1'), ran('a1', 'c1', 'ls', 'a.txt')]
    const scan = opencodeRecords(() => []).scan()
    const watch = { claims: [AT_DENY], files: [], wantsHeld: false }
    for (const line of rows) scan.take(line, watch)
    expect(scan.facts(watch)).toEqual([{ kind: 'missed', cause: 'ran-although-denied', call: 'c1' }])
    expect(scan.facts(watch)).toEqual([])
  })

  test('a stub has nothing to prove', () => {
    expect(factsOf([...turn('a1'), failed('a1', 'c1', TEXT), ...turn('a2')], { claims: [{ ...AT_DENY, form: 'stub' }] })).toEqual([])
  })
})

describe('epochs', () => {
  const past = [user('u1'), added('u1', TEXT), ...turn('a1')]

  test('T10: a compaction counts when its summary is there, once', () => {
    const announced = [...past, user('u2'), compaction('u2'), step('s1', { summary: true }), answer('s1')]
    expect(factsOf(announced, {})).toEqual([])
    const done = step('s1', { summary: true, time: { completed: 9 } })
    expect(factsOf([...announced, done, done], {})).toEqual([{ kind: 'compacted', mark: 's1' }])
    expect(factsOf([...announced, step('s1', { summary: true, time: { completed: 9 }, error: {} })], {})).toEqual([])
    for (const name of ['compaction.manual', 'compaction.auto'])
      expect(factsOf(recorded(name), {}), name).toEqual([{ kind: 'compacted', mark: expect.stringMatching(/^msg_/) }])
  })

  test('the summary of a compaction is no answer', () => {
    const rows = [user('u1'), added('u1', TEXT), user('u2'), compaction('u2'), ...summary('s1'), ...turn('a1')]
    expect(factsOf(rows, { claims: [AT_MESSAGE] })).toEqual([{ kind: 'compacted', mark: 's1' }, shown(false)])
  })

  test('what a compaction keeps as it is still counts', () => {
    const rows = [
      user('u0'),
      ...turn('a0'),
      user('u1'),
      added('u1', TEXT),
      user('u2'),
      compaction('u2', { tail_start_id: 'u1' }),
      ...summary('s1'),
      ...turn('a1'),
    ]
    expect(factsOf(rows, { claims: [AT_MESSAGE], wantsHeld: true })).toEqual([
      { kind: 'compacted', mark: 's1' },
      shown(true),
      { kind: 'held', claims: ['m.1'] },
    ])
  })

  test('T7: what a resume or a fork replays is held; a session without a past says nothing', () => {
    expect(factsOf(past, { wantsHeld: true })).toEqual([{ kind: 'held', claims: ['m.1'] }])
    expect(factsOf([user('u1'), added('u1', TEXT)], { wantsHeld: true })).toEqual([])
    const fork = recorded('fork', { 'denied by lab': TEXT })
    expect(factsOf(fork, { wantsHeld: true })).toEqual([{ kind: 'held', claims: ['m.1'] }])
    const compacted = [...past, user('u2'), compaction('u2', { tail_start_id: 'msg_of_the_old_session' }), ...summary('s1')]
    expect(factsOf(compacted, { wantsHeld: true })).toEqual([
      { kind: 'compacted', mark: 's1' },
      { kind: 'held', claims: [] },
    ])
  })

  test('T11: what was taken back is gone, if the model had it', () => {
    expect(factsOf([...past, removed('u1')], {})).toEqual([{ kind: 'gone', claims: ['m.1'] }])
    expect(factsOf([...past, removed('u1', 'prt_u1_t')], {})).toEqual([{ kind: 'gone', claims: ['m.1'] }])
    expect(factsOf([user('u1'), added('u1', TEXT), removed('u1')], {})).toEqual([])
    const twice = [...past, user('u2'), added('u2', TEXT), ...turn('a2'), removed('u1')]
    expect(factsOf(twice, {})).toEqual([])
  })

  test('T11: in a recorded undo', () => {
    const rows = recorded('undo')
    const at = rows.findIndex((line) => line.includes('second prompt'))
    const message = /"messageID":"(msg_\w+)"/.exec(rows[at] ?? '')?.[1] ?? ''
    expect(factsOf(rows.toSpliced(at + 1, 0, added(message, TEXT)), {})).toEqual([{ kind: 'gone', claims: ['m.1'] }])
  })

  test('old output that is blanked is gone', () => {
    const result = { status: 'completed', input: {}, output: TEXT }
    const rows = [...turn('a1'), tool('a1', 'c1', 'read', { ...result, time: { end: 1 } }), ...turn('a2')]
    const blanked = tool('a1', 'c1', 'read', { ...result, time: { end: 1, compacted: 2 } })
    expect(factsOf([...rows, blanked], {})).toEqual([{ kind: 'gone', claims: ['m.1'] }])
  })
})

describe('reads', () => {
  const GUIDE = '/home/dev/rules/guide.txt'
  const file = fileOf(GUIDE, 'ask the owner')
  const cat = (command: string) => (command === `cat ${GUIDE}` ? [GUIDE] : [])
  const proven = [{ kind: 'read', path: GUIDE, call: 'c1' }]
  const readBy = (name: string, input: object, more: object = {}) =>
    tool('a1', 'c1', name, { status: 'completed', input, output: '', ...more })

  test('with the read tool, once it is answered', () => {
    const rows = [...turn('a1'), readBy('read', { filePath: GUIDE })]
    expect(factsOf(rows, { files: [file] })).toEqual([])
    expect(factsOf([...rows, ...turn('a2')], { files: [file] })).toEqual(proven)
  })

  test('R1, R8: in the shell, with a numeric exit code of 0 and a line of the file', () => {
    const of = (output: string, exit: unknown) =>
      factsOf([...turn('a1'), ran('a1', 'c1', `cat ${GUIDE}`, output, exit), ...turn('a2')], { files: [file] }, cat)
    expect(of('1: ask the owner', 0)).toEqual(proven)
    for (const exit of [1, null, {}, '0']) expect(of('1: ask the owner', exit)).toEqual([])
    expect(of('nothing of it', 0)).toEqual([])
  })

  test('R10: our own tool for agents, when a line of the file stands in its result', () => {
    const of = (output: string, name = 'contextmd_read_entry') =>
      factsOf([...turn('a1'), readBy(name, { id: 'rules/guide' }, { output }), ...turn('a2')], { files: [file] })
    const given = `${entryHead('rules/guide', 'Guide', GUIDE)}\n\nask the owner`
    expect(of(given)).toEqual(proven)
    expect(of(given.replace('ask the owner', 'else'))).toEqual([])
    expect(of(given, 'contextmd_search_entries')).toEqual([])
  })

  test('R10: a file that was written whole is known; a part of it is not', () => {
    const of = (row: string) => factsOf([...turn('a1'), row, ...turn('a2')], { files: [file] })
    expect(of(readBy('write', { filePath: GUIDE, content: 'x' }))).toEqual(proven)
    expect(of(readBy('apply_patch', { patchText: `*** Begin Patch\n*** Add File: ${GUIDE}\n+x\n*** End Patch` }))).toEqual(proven)
    expect(of(readBy('edit', { filePath: GUIDE, oldString: 'a', newString: 'b' }))).toEqual([])
    expect(of(readBy('grep', { path: GUIDE }))).toEqual([])
  })

  test('a read that failed, was compacted away, or is older than the file, is none', () => {
    expect(
      factsOf([...turn('a1'), failed('a1', 'c1', 'File not found', 'read', { filePath: GUIDE }), ...turn('a2')], { files: [file] }),
    ).toEqual([])
    const rows = [...turn('a1'), readBy('read', { filePath: GUIDE }, { time: { end: 5 } })]
    expect(factsOf([...rows, user('u2'), compaction('u2'), ...summary('s1'), ...turn('a2')], { files: [file] })).toHaveLength(1)
    expect(factsOf([...rows, ...turn('a2')], { files: [fileOf(GUIDE, '', { changedAt: 6 })] })).toEqual([])
  })

  test('in a recorded turn', () => {
    expect(factsOf(recorded('turn'), { files: [fileOf('/home/dev/project/a.txt', '')] })).toMatchObject([
      { kind: 'read', path: '/home/dev/project/a.txt' },
    ])
  })
})

describe('any log', () => {
  test('recorded ones are read whole, and from any row on', () => {
    for (const name of recordedLogs().map((file) => file.replace(/\.jsonl$/, ''))) {
      const rows = recorded(name)
      for (let from = 0; from < rows.length; from += 5) expect(() => factsOf(rows.slice(from), { wantsHeld: true }), name).not.toThrow()
    }
  })

  test('rows that are broken or unknown are passed over', () => {
    const hostile = [
      '',
      '{',
      'null',
      '[]',
      '{"type":"message.updated.1"}',
      '{"type":"message.part.updated.9","data":{"part":7}}',
      '{"type":3,"data":{}}',
    ]
    expect(factsOf(hostile, { claims: [AT_MESSAGE], wantsHeld: true })).toEqual([])
    const types = fc.constantFrom('message.updated.1', 'message.part.updated.1', 'message.removed.1', 'session.updated.1')
    fc.assert(
      fc.property(fc.array(fc.record({ type: types, data: fc.jsonValue() })), (rows) => {
        factsOf(
          rows.map((one) => JSON.stringify(one)),
          { claims: [AT_MESSAGE], wantsHeld: true },
        )
      }),
    )
  })

  test('only a session in a database of OpenCode is opened', () => {
    const { isRecordsPath } = opencodeRecords(() => [])
    expect(isRecordsPath('/home/dev/.local/share/opencode/opencode.db#ses_dd31a9204ffe')).toBe(true)
    expect(isRecordsPath('/x/opencode-next.db#ses_a')).toBe(true)
    for (const path of [
      '/x/opencode.db',
      '/x/opencode.db#../a',
      'opencode.db#ses_a',
      '/x/../opencode.db#ses_a',
      '/x/other.db#ses_a',
      '/x/opencode.db#ses_a/b',
    ])
      expect(isRecordsPath(path), path).toBe(false)
  })
})
