import { describe, expect, test } from 'vitest'
import { entryHead } from '../../match/entry-read.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { grokRecords } from './records.ts'
import {
  callId,
  calls,
  claimOf,
  context,
  denied,
  factsOf,
  fileOf,
  HISTORY_PATH,
  marked,
  recorded,
  recordedHistories,
  result,
  says,
  shell,
  summary,
  typed,
  watchOf,
  withTexts,
} from './session.fixture.ts'

const RULE = 'Use Conventional Commits.\nAt most 72 characters, "quoted" – 語.'
const inReason = { moment: 'before-tool', event: 'PreToolUse', call: callId('a'), way: 'reason' } as const
const beside = { ...inReason, way: 'context' } as const
const claimFact = (claim: string, found: string, answered: boolean) => ({ kind: 'claim', claim, found, answered })

describe('recorded histories', () => {
  test('every line of every recorded file is taken', () => {
    for (const name of recordedHistories())
      expect(factsOf(recorded(name), { claims: [claimOf('m.1', RULE, beside)], wantsHeld: true })).toBeInstanceOf(Array)
  })

  test('a deny`s reason, as it was recorded', () => {
    const lines = withTexts(recorded('chat_history.denied.jsonl'), {
      'REASON-A line1\\nline2 <system-reminder>in</system-reminder>': marked('m.1', RULE),
    })
    const claim = claimOf('m.1', RULE, { ...inReason, call: callId('d_json') }, { role: 'hold' })
    expect(factsOf(lines, { claims: [claim] })).toEqual([claimFact('m.1', 'whole', true)])
    const other = claimOf('m.2', RULE, { ...inReason, call: callId('d_exit2') }, { role: 'hold' })
    expect(factsOf(lines, { claims: [other] })).toEqual([claimFact('m.2', 'replaced', true)])
    // the last result has no answer yet
    expect(factsOf(lines, { claims: [claimOf('m.3', RULE, { ...inReason, call: callId('d_both') })] })).toEqual([])
  })

  test('texts of a wave, as they were recorded', () => {
    const lines = withTexts(recorded('chat_history.injected-parallel.jsonl'), {
      'PRE-q2': marked('m.1', RULE),
      'POST-q3': marked('m.2', RULE),
    })
    const claims = [
      claimOf('m.1', RULE, { ...beside, call: callId('q2') }),
      claimOf('m.2', RULE, { ...beside, moment: 'after-tool', event: 'PostToolUse', call: callId('q3') }),
      claimOf('m.3', RULE, { ...beside, call: callId('q1') }),
    ]
    expect(factsOf(lines, { claims })).toEqual([claimFact('m.1', 'whole', false), claimFact('m.2', 'whole', false)])
    const facts = factsOf([...lines, says('Done.')], { claims, call: callId('q4') })
    expect(facts).toEqual([
      { kind: 'called', call: 'q4', calls: ['q1', 'q2', 'q3', 'q4'] },
      claimFact('m.1', 'whole', true),
      claimFact('m.2', 'whole', true),
      claimFact('m.3', 'absent', true),
    ])
  })

  test('a text at the stop, as it was recorded', () => {
    const lines = withTexts(recorded('chat_history.stop-feedback.jsonl'), {
      'STOP-CTX <system-reminder>q</system-reminder>': marked('m.1', RULE),
    })
    const claims = [claimOf('m.1', RULE, { moment: 'stop', event: 'Stop', call: null, way: 'context' })]
    expect(factsOf(lines, { claims })).toEqual([claimFact('m.1', 'whole', false)])
    expect(factsOf([...lines, says('Noted.')], { claims })).toEqual([claimFact('m.1', 'whole', true)])
  })

  test('a call that a person refused or stopped has no text and did not run', () => {
    const claims = ['r1', 'r2'].map((call) => claimOf(`${call}.1`, RULE, { ...inReason, call: callId(call) }, { role: 'hold' }))
    expect(factsOf([...recorded('chat_history.rejected-and-cancelled.jsonl'), says('Well.')], { claims })).toEqual([
      claimFact('r1.1', 'replaced', true),
      claimFact('r2.1', 'replaced', true),
    ])
  })

  test('a compaction, as it was recorded', () => {
    const facts = factsOf(recorded('chat_history.after-compaction.jsonl'), { wantsHeld: true })
    expect(facts).toEqual([
      { kind: 'compacted', mark: expect.stringMatching(/^[0-9a-f]{16}$/) },
      { kind: 'held', claims: [] },
    ])
  })
})

describe('claims', () => {
  const call = calls(shell('a', 'git commit'))

  test('G4: the whole text counts, not its beginning', () => {
    const longer = marked('m.1', `${RULE} And more.`)
    expect(factsOf([call, denied('a', longer), says('x')], { claims: [claimOf('m.1', RULE, inReason)] })).toEqual([
      claimFact('m.1', 'cut', true),
    ])
  })

  test('X3: a reason that was clipped is cut', () => {
    const clipped = `${marked('m.1', 'x'.repeat(300)).slice(0, 256)}… [+70 chars]`
    expect(factsOf([call, denied('a', clipped), says('x')], { claims: [claimOf('m.1', 'x'.repeat(300), inReason)] })).toEqual([
      claimFact('m.1', 'cut', true),
    ])
  })

  test('G3: the text in a call`s own input, in a result of a call that ran, or typed by a person proves nothing', () => {
    const text = marked('m.1', RULE)
    const reminder = `<system-reminder>\nContext from PreToolUse hook 'x':\n${text}\n</system-reminder>`
    const lines = [calls(shell('a', text)), result('a', `exit: 0\n${text}`), typed(reminder), says(text), result('b', reminder)]
    const facts = factsOf(lines, { claims: [claimOf('m.1', RULE, beside)], wantsHeld: true })
    expect(facts).toEqual([claimFact('m.1', 'absent', true), { kind: 'held', claims: [] }])
  })

  test('G12: another hook`s deny in the place of ours', () => {
    expect(factsOf([call, denied('a', 'Not on a Monday'), says('x')], { claims: [claimOf('m.1', RULE, inReason)] })).toEqual([
      claimFact('m.1', 'replaced', true),
    ])
  })

  test('R6: a result with a longer id is another call`s', () => {
    expect(factsOf([call, denied('prior-a', marked('m.1', RULE)), says('x')], { claims: [claimOf('m.1', RULE, inReason)] })).toEqual([])
  })

  test('G6, G19: a call without a result, or a result without an answer, says nothing', () => {
    const claims = [claimOf('m.1', RULE, beside)]
    expect(factsOf([call], { claims })).toEqual([])
    expect(factsOf([call, result('a', 'exit: 0\n')], { claims })).toEqual([])
  })

  test('text stands where it was put, and nowhere else', () => {
    const lines = [call, result('a', 'exit: 0\n'), context('PostToolUse', marked('m.1', RULE)), says('x')]
    expect(factsOf(lines, { claims: [claimOf('m.1', RULE, beside)] })).toEqual([claimFact('m.1', 'absent', true)])
    expect(factsOf(lines, { claims: [claimOf('m.1', RULE, inReason)] })).toEqual([claimFact('m.1', 'replaced', true)])
    expect(factsOf(lines, { claims: [claimOf('m.1', RULE, { ...beside, event: 'PostToolUse' })] })).toEqual([
      claimFact('m.1', 'whole', true),
    ])
  })

  test('the harness`s escapes are taken back', () => {
    const rule = 'Never print <system-reminder> or </system-reminder>.'
    const lines = [call, result('a', 'exit: 0\n'), context('PreToolUse', marked('m.1', rule).replaceAll('<', '<\\')), says('x')]
    expect(factsOf(lines, { claims: [claimOf('m.1', rule, beside)] })).toEqual([claimFact('m.1', 'whole', true)])
  })

  test('an id that comes again is another call', () => {
    const lines = [call, result('a', 'exit: 0\n'), says('x'), call]
    expect(factsOf(lines, { claims: [claimOf('m.1', RULE, inReason)] })).toEqual([])
  })

  test('a held call that ran all the same is told once', () => {
    const pass = grokRecords(() => []).scan(HISTORY_PATH)
    const watch = watchOf({ claims: [claimOf('m.1', RULE, inReason, { role: 'hold' })] })
    for (const line of [call, result('a', 'exit: 0\n')]) pass.take(line, watch)
    expect(pass.facts(watch)).toEqual([{ kind: 'missed', cause: 'ran-although-denied', call: 'a' }])
    expect(pass.facts(watch)).toEqual([])
  })
})

describe('epochs', () => {
  test('after a compaction only what was said since is held', () => {
    const before = [calls(shell('a', 'ls')), result('a', 'exit: 0\n'), context('PreToolUse', marked('m.1', RULE)), says('x')]
    expect(factsOf(before, { wantsHeld: true })).toEqual([{ kind: 'held', claims: ['m.1'] }])
    const after = [...before, summary('All was done.'), calls(shell('b', 'ls')), denied('b', marked('n.1', RULE)), says('y')]
    expect(factsOf(after, { wantsHeld: true })).toMatchObject([{ kind: 'compacted' }, { kind: 'held', claims: ['n.1'] }])
  })

  test('what was cut, or has no reply yet, is not held', () => {
    const cut = [calls(shell('a', 'ls')), denied('a', marked('m.1', RULE).slice(0, 60)), says('x')]
    expect(factsOf(cut, { wantsHeld: true })).toEqual([{ kind: 'held', claims: [] }])
    expect(factsOf([typed('hello')], { wantsHeld: true })).toEqual([])
  })

  test('two compactions have two marks, one compaction has one', () => {
    const [first] = factsOf([summary('One.')], {})
    expect(factsOf([summary('Two.')], {})[0]).not.toEqual(first)
    expect(factsOf([summary('One.'), says('x')], {})[0]).toEqual(first)
  })
})

describe('reads', () => {
  const GUIDE = '/home/dev/rules/guide.txt'
  const guide = fileOf(GUIDE, 'ask the owner')
  const cat: ReadsIn = (command, cwd) => [command.startsWith('cat /') ? command.slice(4) : `${cwd}/${command.slice(4)}`]
  const readFact = { kind: 'read', path: GUIDE, call: 'a' }

  test('the harness`s own tool', () => {
    const lines = [calls(['a', 'read_file', { target_file: GUIDE }]), result('a', '1→# Guide\nask the owner\n')]
    expect(factsOf(lines, { files: [guide] })).toEqual([])
    expect(factsOf([...lines, says('x')], { files: [guide] })).toEqual([readFact])
  })

  test.each([
    ['contextmd__read_entry', { id: 'rules/guide' }],
    ['use_tool', { tool_name: 'contextmd__read_entry', tool_input: { id: 'rules/guide' } }],
  ])('R10: our own tool for agents, by %s, when a line of the file stands in its result', (tool, input) => {
    const given = `${entryHead('rules/guide', 'Guide', GUIDE)}\n\nask the owner`
    const lines = (text: string) => [calls(['a', tool, input]), result('a', text)]
    expect(factsOf(lines(given), { files: [guide] })).toEqual([])
    expect(factsOf([...lines(given), says('x')], { files: [guide] })).toEqual([readFact])
    expect(factsOf([...lines(given.replace('ask the owner', 'else')), says('x')], { files: [guide] })).toEqual([])
  })

  test('R1, R5: it failed when the harness says so, whatever the file says', () => {
    const lines = (text: string) => [calls(['a', 'read_file', { target_file: GUIDE }]), result('a', text), says('x')]
    expect(factsOf(lines(`Error: ${GUIDE} does not exist.`), { files: [guide] })).toEqual([])
    expect(factsOf(lines('1→Error: not found, exit=1'), { files: [guide] })).toEqual([readFact])
    expect(factsOf(lines('Hook denied: 1→x'), { files: [guide] })).toEqual([])
  })

  test('R8: in the shell, with exit code 0 and a line of the file in the result', () => {
    const lines = (text: string) => [calls(shell('a', `cat ${GUIDE}`)), result('a', text), says('x')]
    expect(factsOf(lines('exit: 0\nask the owner\n'), { files: [guide] }, cat)).toEqual([readFact])
    expect(factsOf(lines('exit: 0\nsomething else\n'), { files: [guide] }, cat)).toEqual([])
    expect(factsOf(lines('exit: 1\nask the owner\n'), { files: [guide] }, cat)).toEqual([])
    expect(factsOf(lines('ask the owner\n'), { files: [guide] }, cat)).toEqual([])
  })

  test('a relative path is taken from the session`s folder, which the file`s own path names', () => {
    const local = fileOf('/home/dev/project/guide.txt', 'ask the owner')
    const lines = [calls(['a', 'read_file', { target_file: 'guide.txt' }]), result('a', '1→ask the owner'), says('x')]
    expect(factsOf(lines, { files: [local] })).toMatchObject([{ kind: 'read', path: local.path }])
    const pass = grokRecords(() => []).scan('/home/dev/.grok/sessions/slug-0a1b2c/s/chat_history.jsonl')
    for (const line of lines) pass.take(line, watchOf({ files: [local] }))
    expect(pass.facts(watchOf({ files: [local] }))).toEqual([])
  })

  test('a file that was written whole', () => {
    const lines = (text: string) => [calls(['a', 'write', { file_path: GUIDE, content: 'x' }]), result('a', text), says('x')]
    expect(factsOf(lines(`The file ${GUIDE} has been created.`), { files: [guide] })).toEqual([readFact])
    expect(factsOf(lines(`Wrote file successfully to ${GUIDE}.`), { files: [guide] })).toEqual([readFact])
    expect(factsOf(lines('Error: no permission'), { files: [guide] })).toEqual([])
  })

  test('R2, R4: another file with the same text proves nothing', () => {
    const lines = [calls(['a', 'read_file', { target_file: '/home/dev/copy.txt' }]), result('a', '1→ask the owner'), says('x')]
    expect(factsOf(lines, { files: [guide] })).toEqual([])
  })
})

test('only the files in which the harness keeps its messages are opened', () => {
  const { isRecordsPath } = grokRecords(() => [])
  expect(isRecordsPath(HISTORY_PATH)).toBe(true)
  expect(isRecordsPath('/opt/grok-home/sessions/slug-1/s/chat_history.jsonl')).toBe(true)
  for (const path of [
    HISTORY_PATH.replace('chat_history', 'updates'),
    '/etc/passwd',
    'sessions/a/b/chat_history.jsonl',
    '/home/dev/.grok/sessions/../../x/sessions/a/b/chat_history.jsonl',
    '/home/dev/chat_history.jsonl',
  ])
    expect(isRecordsPath(path)).toBe(false)
})
