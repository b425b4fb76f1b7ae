import { describe, expect, test } from 'vitest'
import * as s from './session.fixture.ts'

const START = 'Rules are kept here.'
const STYLE = 'Short imperative subject lines.'
const PUSH = 'Pushes to main need a green test run.'

const RECORDED = s.recorded('api-request-chain.jsonl')
const chain = s.withTexts(RECORDED, {
  'RULE session-start (startup): this project keeps its rules on a local server.': s.marked('a.1', START),
  'RULE commit-style: short imperative subject lines.': s.marked('b.1', STYLE),
  'RULE no-direct-push: pushes to main need a green test run.': s.marked('c.1', PUSH),
})
const atStart = s.claimOf('a.1', START, { moment: 'session-start', event: 'SessionStart' })
const atPrompt = s.claimOf('b.1', STYLE, { moment: 'prompt', event: 'UserPromptSubmit' })
const inReason = s.claimOf('c.1', PUSH, { call: s.callId('toolu_0001'), way: 'reason' }, { role: 'hold' })
const chainClaims = [atStart, atPrompt, inReason]

const whole = (claim: string, answered = true) => ({ kind: 'claim', claim, found: 'whole', answered })

/** Number of lines after which each claim is proven; null: never. */
function provenAfter(lines: readonly string[], claims = chainClaims) {
  return Object.fromEntries(
    claims.map((claim) => {
      const proven = lines.findIndex((_, at) => {
        const facts = s.factsOf(lines.slice(0, at + 1), { claims: [claim] })
        return facts.some((fact) => fact.kind === 'claim' && fact.answered)
      })
      return [claim.id, proven === -1 ? null : proven + 1]
    }),
  )
}

describe('proof of delivery', () => {
  test('by the record of an answered request: the line is there, and the model wrote after it was sent', () => {
    expect(s.factsOf(chain, { claims: chainClaims })).toEqual([whole('a.1'), whole('b.1'), whole('c.1')])
    // the two contexts with the first reply (line 10), the reason with the second (line 14)
    expect(provenAfter(chain)).toEqual({ 'a.1': 10, 'b.1': 10, 'c.1': 14 })
  })

  test('without request records: by the line, and a later reply to another request', () => {
    const lines = s.without(chain, 'api-request', 'api-request-blob')
    expect(provenAfter(lines)).toEqual({ 'a.1': 7, 'b.1': 7, 'c.1': 10 })
    // the harness leaves out the request's id as well where it does not record requests: the reply's own id tells replies apart
    const unnamed = lines.map((line) => JSON.stringify({ ...JSON.parse(line), requestRef: undefined }))
    expect(provenAfter(unnamed)).toEqual({ 'a.1': 7, 'b.1': 7, 'c.1': 10 })
  })

  test('a record without its message does not prove what it cannot show', () => {
    // of context the request's record decides, where there is one
    expect(provenAfter(s.without(chain, 'api-request-blob'))).toEqual({ 'a.1': null, 'b.1': null, 'c.1': 12 })
  })

  test('a scan from the middle: an unknown base counts as so many unknown messages', () => {
    expect(s.factsOf(chain.slice(11), { claims: [inReason] })).toEqual([whole('c.1')])
  })

  test('old placement: the text stands in the user`s message, behind the results', () => {
    const text = 'exported constants are upper case'
    const lines = [
      s.reply('r1', s.bash('t1', 'ls')),
      s.context('PreToolUse', 't1', s.marked('d.1', text)),
      s.result('t1', 'x'),
      s.blob('h', 'user', { type: 'tool_result', tool_use_id: 't1', content: 'x' }, s.says(`<system-reminder>\n${s.marked('d.1', text)}`)),
      s.request('r2', 'r1', 2, 'h'),
      s.reply('r2', s.says('done')),
    ]
    const claim = s.claimOf('d.1', text, { call: s.callId('t1') })
    expect(provenAfter(lines, [claim])).toEqual({ 'd.1': 6 })
  })

  test('the harness escapes its own tags inside a text', () => {
    const text = 'Never print <system-reminder> or </system-reminder>.'
    const escaped = s.marked('d.1', text).replaceAll('<', '&lt;')
    const lines = [s.context('SessionStart', 'SessionStart', escaped), s.reply('r1', s.says('x'))]
    const claim = s.claimOf('d.1', text, { moment: 'session-start', event: 'SessionStart' })
    expect(s.factsOf(lines, { claims: [claim] })).toEqual([whole('d.1')])
  })

  test('G3: a text in the call`s own input, or in what a command prints, is no proof', () => {
    const text = s.marked('c.1', PUSH)
    const lines = [
      s.reply('r1', s.bash('toolu_0001', `echo "${text}"`)),
      s.result('toolu_0001', text),
      s.reply('r2', s.says(text), s.bash('t2', `cat log`)),
      s.failed('t2', `Exit code 1\n${text}`),
      s.blob('h', 'user', { type: 'tool_result', tool_use_id: 't2', content: `Exit code 1\n${text}`, is_error: true }),
      s.request('r3', null, 0, 'h'),
      s.reply('r3', s.says('done')),
    ]
    const beside = s.claimOf('c.1', PUSH, { call: s.callId('toolu_0001') })
    expect(s.factsOf(lines, { claims: [inReason, beside] }).map((fact) => 'found' in fact && fact.found)).toEqual([
      'replaced',
      'absent',
      false,
    ])
  })

  test('G3: what the model wrote itself is no proof: its own words go into each later request', () => {
    const text = s.marked('d.1', PUSH)
    const lines = [
      s.reply('r1', s.bash('t1', 'ls')),
      s.context('PreToolUse', 't1', text),
      s.result('t1', 'x'),
      s.blob('h', 'assistant', s.says(text)),
      s.request('r2', null, 0, 'h'),
      s.reply('r2', s.says('done')),
    ]
    expect(s.factsOf(lines, { claims: [s.claimOf('d.1', PUSH, { call: s.callId('t1') })] })).toEqual([whole('d.1', false)])
  })

  test('G3: a person who pastes a text has not been handed it', () => {
    const lines = [s.blob('h', 'user', s.says(s.marked('b.1', STYLE))), s.request('r1', null, 0, 'h'), s.reply('r1', s.says('x'))]
    expect(s.factsOf(lines, { claims: [atPrompt], wantsHeld: true })).toEqual([{ kind: 'held', claims: [] }])
  })

  test('G4: of two rules that begin alike neither proves the other', () => {
    const alike = s.claimOf('b.1', `${STYLE} And a longer end.`, { moment: 'prompt', event: 'UserPromptSubmit' })
    const other = s.claimOf('b.2', STYLE, { moment: 'prompt', event: 'UserPromptSubmit' })
    expect(s.factsOf(chain, { claims: [alike, other] })).toEqual([{ kind: 'claim', claim: 'b.1', found: 'cut', answered: true }])
  })

  test('G5: beside an edit the text is found as beside any call', () => {
    const text = 'Exported constants are upper case.'
    const edit = s.withTexts(s.recorded('tool-ok.Edit+pre-context.jsonl'), {
      'RULE typescript: exported constants are upper case.': s.marked('d.1', text),
    })
    const claim = s.claimOf('d.1', text, { call: s.callId('toolu_0007') })
    expect(s.factsOf(edit, { claims: [claim] })).toEqual([whole('d.1', false)])
    expect(s.factsOf([...edit, s.reply('later', s.says('x'))], { claims: [claim] })).toEqual([whole('d.1')])
  })

  test('G6: of a call that still runs nothing is said', () => {
    const lines = [s.reply('r1', s.bash('t1', 'sleep 9')), s.reply('r2', s.says('meanwhile'))]
    expect(s.factsOf(lines, { claims: [s.claimOf('d.1', 'x', { call: s.callId('t1') })] })).toEqual([])
  })

  test('law 10: absence elsewhere is no verdict', () => {
    const claim = s.claimOf('b.1', STYLE, { moment: 'after-tool', event: 'PostToolUse', call: s.callId('toolu_9') })
    expect(s.factsOf(chain, { claims: [claim] })).toEqual([])
  })

  test('G12: another hook`s deny won: our reason was replaced, our context beside it arrived', () => {
    const lines = [
      ...s.recorded('two-denies.jsonl'),
      s.context('PreToolUse', 'toolu_0006', s.marked('d.1', 'text')),
      s.reply('later', s.says('x')),
    ]
    const reason = s.claimOf('c.1', 'other', { call: s.callId('toolu_0006'), way: 'reason' })
    const beside = s.claimOf('d.1', 'text', { call: s.callId('toolu_0006') })
    const lost = s.claimOf('e.1', 'text', { call: s.callId('toolu_0006') })
    expect(s.factsOf(lines, { claims: [reason, beside, lost] })).toEqual([
      { kind: 'claim', claim: 'c.1', found: 'replaced', answered: true },
      whole('d.1'),
      { kind: 'claim', claim: 'e.1', found: 'absent', answered: true },
    ])
    expect(s.factsOf(lines.slice(0, -1), { claims: [reason, lost] })).toEqual([])
  })

  test('X1: what was swapped for a preview is cut, each text of that reply', () => {
    const text = `${s.marked('d.1', 'x'.repeat(1_200))}\n${s.marked('d.2', 'y'.repeat(9_000))}\n${s.marked('d.3', 'z')}`
    const preview = `<persisted-output>\nOutput too large (10KB). Full output saved to: /home/dev/x.txt\n\nPreview (first 2KB):\n${text.slice(0, 2_048)}\n...\n</persisted-output>`
    const lines = [
      s.reply('r1', s.bash('t1', 'ls')),
      s.context('PreToolUse', 't1', preview),
      s.result('t1', 'x'),
      s.reply('r2', s.says('x')),
    ]
    const claims = ['x'.repeat(1_200), 'y'.repeat(9_000), 'z'].map((body, n) => s.claimOf(`d.${n + 1}`, body, { call: s.callId('t1') }))
    expect(s.factsOf(lines, { claims }).map((fact) => 'found' in fact && [fact.found, fact.answered])).toEqual([
      ['whole', true],
      ['cut', true],
      ['cut', true],
    ])
  })

  test('X1: the recorded preview', () => {
    const long = `${'PRE'}${'x'.repeat(9_997)}`
    const spilled = s
      .recorded('context-spilled-to-file.jsonl')
      .map((line) => line.replace('PRExxx', JSON.stringify(s.marked('d.1', 'PRExxx')).slice(1, -20)))
    const claim = s.claimOf('d.1', long, { call: s.callId('toolu_0003') })
    const lines = [s.reply('own', s.bash('toolu_0003', 'ls')), ...spilled, s.reply('later', s.says('x'))]
    expect(s.factsOf(lines, { claims: [claim] })).toEqual([{ kind: 'claim', claim: 'd.1', found: 'cut', answered: true }])
  })

  test('G19: a result on disk is not an answer: the reply of the call itself goes on', () => {
    const wave = s.recorded('parallel-three-one-denied.jsonl')
    const lines = s.withTexts(wave, { 'RULE secrets: never print secrets.env.': s.marked('d.1', 'x') })
    const own = JSON.parse(lines[0] ?? '').requestRef
    const claim = s.claimOf('d.1', 'x', { call: s.callId('toolu_0005'), way: 'reason' })
    expect(s.factsOf(lines, { claims: [claim] })).toEqual([whole('d.1', false)])
    const more = [...lines, s.reply(own, s.bash('toolu_x', 'the fourth call of the same reply'))]
    expect(s.factsOf(more, { claims: [claim] })).toEqual([whole('d.1', false)])
    expect(s.factsOf([...more, s.reply('next', s.says('x'))], { claims: [claim] })).toEqual([whole('d.1')])
  })

  test('G19: when the call`s own line is not known, the first reply that shows up may be its own', () => {
    const lines = [s.denied('t1', s.marked('d.1', 'x')), s.reply('own', s.bash('t2', 'ls'))]
    const claim = s.claimOf('d.1', 'x', { call: s.callId('t1'), way: 'reason' })
    expect(s.factsOf(lines, { claims: [claim] })).toEqual([whole('d.1', false)])
    expect(s.factsOf([...lines, s.reply('next', s.says('x'))], { claims: [claim] })).toEqual([whole('d.1')])
  })

  test('a model error is no answer, although it is written as the model`s words', () => {
    const error = JSON.stringify({ ...JSON.parse(s.reply('r2', s.says('API Error: 400'))), isApiErrorMessage: true })
    const lines = s.without(chain, 'api-request', 'api-request-blob').slice(0, -1)
    expect(s.factsOf([...lines, error], { claims: [inReason] })).toEqual([whole('c.1', false)])
  })

  test('a subagent`s file proves in the same way', () => {
    const lines = s.withTexts(s.recorded('subagent.jsonl'), {
      'RULE subagents: report numbers only.': s.marked('d.1', 'Report numbers only.'),
      'RULE shell: prefer plain ls.': s.marked('d.2', 'Prefer plain ls.'),
    })
    const claims = [
      s.claimOf('d.1', 'Report numbers only.', { moment: 'subagent-start', event: 'SubagentStart' }),
      s.claimOf('d.2', 'Prefer plain ls.', { call: s.callId('toolu_0014') }),
    ]
    expect(provenAfter(lines, claims)).toEqual({ 'd.1': 4, 'd.2': 8 })
  })

  test('what was proven once stays proven, whatever comes after', () => {
    const noise = s.recordedSessions().flatMap((name) => s.recorded(name))
    for (let at = 0; at < noise.length; at += 10) {
      const facts = s.factsOf([...chain, ...noise.slice(0, at)], { claims: chainClaims })
      expect(facts).toEqual(expect.arrayContaining([whole('a.1'), whole('b.1'), whole('c.1')]))
    }
  })

  test('a stub has no text: nothing is said of it', () => {
    const stub = s.claimOf('d.1', '', { call: s.callId('toolu_0001') }, { form: 'stub' })
    expect(s.factsOf(chain, { claims: [stub] })).toEqual([])
  })
})
