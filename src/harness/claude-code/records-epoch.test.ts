import { describe, expect, test } from 'vitest'
import * as s from './session.fixture.ts'

const held = (...claims: string[]) => ({ kind: 'held', claims })
const wants = { wantsHeld: true }
const text = (claim: string) => s.marked(claim, `text of ${claim}`)
const sent = (hash: string, ...claims: string[]) => s.blob(hash, 'system', s.says(claims.map(text).join('\n\n')))

describe('what the conversation holds', () => {
  test('each compaction is told by its mark', () => {
    expect(s.factsOf(s.recorded('compaction.auto.jsonl'), {})).toEqual([
      { kind: 'compacted', mark: '00000000-0000-4000-8000-000000000010' },
    ])
    expect(s.factsOf(s.recorded('compaction.manual.jsonl'), {})).toEqual([
      { kind: 'compacted', mark: '00000000-0000-4000-8000-000000000002' },
    ])
    const twice = [s.boundary('x'), s.boundary('x'), s.boundary('y')]
    expect(s.factsOf(twice, {})).toEqual([
      { kind: 'compacted', mark: 'x' },
      { kind: 'compacted', mark: 'y' },
    ])
  })

  test('after a recorded compaction: what was injected after it, and what it preserved', () => {
    const auto = s.withTexts(s.recorded('compaction.auto.jsonl'), {
      'MARK-UserPromptSubmit-auto two USE-TOOL-23': text('a.1'),
      'MARK-SessionStart-compact-24': text('b.1'),
    })
    const lost = s.context('PreToolUse', 't1', text('c.1'))
    expect(s.factsOf([lost, ...auto], wants).at(-1)).toEqual(held('a.1', 'b.1'))
    const manual = s.withTexts(s.recorded('compaction.manual.jsonl'), {
      'RULE session-start (compact): this project keeps its rules on a local server.': text('a.1'),
      'RULE commit-style: short imperative subject lines.': text('b.1'),
    })
    expect(s.factsOf([lost, ...manual], wants).at(-1)).toEqual(held('a.1', 'b.1'))
  })

  test('with request records: what the latest answered request holds, and what was injected since', () => {
    const lines = [
      s.context('SessionStart', 'SessionStart', text('a.1')),
      s.context('UserPromptSubmit', 'hook-1', text('b.1')),
      sent('h1', 'a.1', 'b.1'),
      s.request('r1', null, 0, 'h1'),
      s.reply('r1', s.says('x')),
      s.context('UserPromptSubmit', 'hook-2', text('c.1')),
    ]
    expect(s.factsOf(lines, wants)).toEqual([held('a.1', 'b.1', 'c.1')])
    const rewound = [...lines, sent('h2', 'a.1', 'd.1'), s.request('r2', null, 0, 'h2'), s.reply('r2', s.says('x'))]
    expect(s.factsOf(rewound, wants).at(-1)).toEqual(held('a.1')) // d.1 was never injected, b.1 and c.1 were taken back
  })

  test('a fork`s file may have the lines without the messages of the past', () => {
    const lines = [s.context('SessionStart', 'SessionStart', text('a.1')), s.request('r1', null, 0, 'unseen'), s.reply('r1', s.says('x'))]
    expect(s.factsOf(lines, wants)).toEqual([held('a.1')])
  })

  test('T7: a fork`s file that is there in part tells nothing before a call until that call stands in it', () => {
    const part = [s.context('SessionStart', 'SessionStart', text('a.1')), s.reply('r1', s.says('x'))]
    const whole = [...part, s.context('UserPromptSubmit', 'hook-1', text('b.1')), s.reply('r2', s.bash('t9', 'ls'))]
    const before = { ...wants, call: s.callId('t9') }
    expect(s.factsOf(part, before)).toEqual([])
    expect(s.factsOf(whole, before)).toEqual([held('a.1', 'b.1')])
    expect(s.factsOf(part, wants)).toEqual([held('a.1')])
  })

  test('a text that was cut is not held', () => {
    const cut = s.context('SessionStart', 'SessionStart', text('a.1').slice(0, -4))
    expect(s.factsOf([cut, s.reply('r1', s.says('x'))], wants)).toEqual([held()])
  })

  test('T7: the file of a fork appears in pieces: before a reply of the past is there, nothing is said', () => {
    expect(s.factsOf([s.context('SessionStart', 'SessionStart', text('a.1'))], wants)).toEqual([])
  })

  test('T11: a rewind takes texts out of the conversation', () => {
    const lines = [
      s.context('SessionStart', 'SessionStart', text('a.1')),
      s.context('UserPromptSubmit', 'hook-1', text('b.1')),
      sent('h1', 'a.1'),
      s.request('r1', null, 0, 'p1', 'h1'),
      s.reply('r1', s.says('x')),
      sent('h2', 'b.1'),
      s.request('r2', 'r1', 2, 'm1', 'p2', 'h2'),
      s.reply('r2', s.says('x')),
    ]
    expect(s.factsOf(lines, {})).toEqual([])
    const sentAgain = [...lines, s.request('r3', 'r1', 2, 'p3')]
    expect(s.factsOf(sentAgain, {})).toEqual([]) // not yet answered
    expect(s.factsOf([...sentAgain, s.reply('r3', s.says('x'))], {})).toEqual([{ kind: 'gone', claims: ['b.1'] }])
    // the message stands in another shape: not gone
    const reshaped = [...lines, sent('h3', 'a.1', 'b.1'), s.request('r3', null, 0, 'h3'), s.reply('r3', s.says('x'))]
    expect(s.factsOf(reshaped, {})).toEqual([])
  })

  test('what may stand in an unknown beginning is not gone', () => {
    const lines = [
      s.context('SessionStart', 'SessionStart', text('a.1')),
      sent('h1', 'a.1'),
      s.request('r1', null, 0, 'h1'),
      s.reply('r1', s.says('x')),
      s.request('r2', 'lost', 5, 'p2'),
      s.reply('r2', s.says('x')),
    ]
    expect(s.factsOf(lines, {})).toEqual([])
  })

  test('after a compaction nothing is gone: that epoch is over', () => {
    const lines = [
      s.context('SessionStart', 'SessionStart', text('a.1')),
      sent('h1', 'a.1'),
      s.request('r1', null, 0, 'h1'),
      s.reply('r1', s.says('x')),
      s.boundary('c'),
      s.request('r2', null, 0, 'p'),
      s.reply('r2', s.says('x')),
    ]
    expect(s.factsOf(lines, wants)).toEqual([{ kind: 'compacted', mark: 'c' }, held()])
  })
})

describe('what the harness let pass', () => {
  test('S8: hooks of ours that failed are told once', () => {
    const lines = s.recorded('hook-errors.jsonl').map((line) => line.replaceAll(':4517/A/PreToolUse', ':4517/contextmd/v1/moment'))
    const causes = s.factsOf(lines, {}).map((fact) => fact.kind === 'missed' && `${fact.cause} ${fact.call}`)
    expect(causes).toEqual([
      'refused toolu_0001',
      'refused toolu_0002',
      'refused toolu_0003',
      'bad-answer toolu_0005',
      'bad-answer toolu_0006',
      'refused toolu_0007',
      'timed-out toolu_0008',
      'timed-out toolu_0009',
      'refused toolu_0010',
      'refused toolu_0011',
    ])
    const scan = s.scan()
    for (const line of lines) scan.take(line, s.watchOf({}))
    expect(scan.facts(s.watchOf({}))).toHaveLength(10)
    expect(scan.facts(s.watchOf({}))).toEqual([])
  })

  test('S14: a server that was down, as the real program writes it: the line names nobody', () => {
    const attachment = { type: 'hook_non_blocking_error', hookName: 'PreToolUse:Bash', toolUseID: 't1', hookEvent: 'PreToolUse' }
    const line = JSON.stringify({
      type: 'attachment',
      attachment: { ...attachment, stderr: 'connect ECONNREFUSED 127.0.0.1:4517', stdout: '', exitCode: 0 },
    })
    expect(s.factsOf([line], {})).toEqual([{ kind: 'missed', cause: 'refused', call: 't1' }])
  })

  test('an error that names nobody is not ours when others have such hooks', () => {
    const facts = s.factsOf(s.recorded('hook-errors.jsonl'), {})
    expect(facts.map((fact) => fact.kind === 'missed' && fact.call)).toEqual(['toolu_0009', 'toolu_0010', 'toolu_0011'])
  })

  test('a held call that ran all the same is told once', () => {
    const claim = s.claimOf('d.1', 'x', { call: s.callId('t1') }, { role: 'hold' })
    const lines = [s.reply('r1', s.bash('t1', 'git push')), s.result('t1', 'pushed')]
    const scan = s.scan()
    for (const line of lines) scan.take(line, s.watchOf({ claims: [claim] }))
    expect(scan.facts(s.watchOf({ claims: [claim] }))).toEqual([{ kind: 'missed', cause: 'ran-although-denied', call: 't1' }])
    expect(scan.facts(s.watchOf({ claims: [claim] }))).toEqual([])
    const plain = s.claimOf('d.1', 'x', { call: s.callId('t1') })
    expect(s.factsOf(lines, { claims: [plain] })).toEqual([])
    expect(s.factsOf([lines[0] ?? '', s.denied('t1', 'x')], { claims: [claim] })).toEqual([])
    const cancelled = s.failed('t1', '<tool_use_error>Cancelled</tool_use_error>').replace('"decision":"accept"', '"decision":null')
    expect(s.factsOf([lines[0] ?? '', cancelled], { claims: [claim] })).toEqual([])
  })
})
