import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as r from './rollout.fixture.ts'

const RULE = 'Pushes to main need a green test run.'
const PRE = { call: r.callId('c1') }
const whole = (claim: string, answered = true) => ({ kind: 'claim', claim, found: 'whole', answered })
const claims = (lines: readonly string[], ...watched: readonly ReturnType<typeof r.claimOf>[]) => r.factsOf(lines, { claims: watched })

/** The recorded texts carry no marks: the test puts ours in their place, each once. */
function markedOnce(lines: readonly string[], recordedText: string, marks: readonly (readonly [string, string])[]): readonly string[] {
  let next = 0
  return lines.map((line) => {
    const mark = marks[next]
    if (!line.includes(`"text": "${recordedText}"`) || mark === undefined) return line
    next += 1
    return line.replace(`"${recordedText}"`, JSON.stringify(r.marked(...mark)))
  })
}

describe('proof of delivery, in recorded sessions', () => {
  const session = r.withTexts(r.recorded('09-injected-context'), {
    'CTX-SessionStart-MARK': r.marked('a.1', RULE),
    'CTX-UserPromptSubmit-MARK': r.marked('b.1', RULE),
  })

  test('at session start and prompt: proven by the first thing that the model writes', () => {
    expect(r.provenAfter(session, r.claimOf('a.1', RULE, { moment: 'session-start', event: 'SessionStart' }))).toBe(5)
    expect(r.provenAfter(session, r.claimOf('b.1', RULE, { moment: 'prompt', event: 'UserPromptSubmit' }))).toBe(5)
  })

  test('G19: beside the calls of a wave: not by their results, but by the model`s next reply', () => {
    const wave = markedOnce(
      markedOnce(session, 'CTX-PreToolUse-MARK', [
        ['c.1', 'x'],
        ['c.2', 'y'],
      ]),
      'CTX-PostToolUse-MARK',
      [['d.1', 'z']],
    )
    // the two results are lines 11 and 12, the next call is line 13
    for (const [claim, text] of [
      ['c.1', 'x'],
      ['c.2', 'y'],
      ['d.1', 'z'],
    ] as const) {
      expect(claims(wave.slice(0, 12), r.claimOf(claim, text, PRE))).toEqual([whole(claim, false)])
      expect(r.provenAfter(wave, r.claimOf(claim, text, PRE))).toBe(13)
    }
  })

  test('beside a denied call', () => {
    const denied = [...r.withTexts(r.recorded('11-denied-with-context'), { 'CTX-A': r.marked('c.1', RULE) })]
    const claim = r.claimOf('c.1', RULE, { call: r.callId('call_deny_and_ctx') }, { role: 'hold' })
    expect(claims(denied, claim)).toEqual([whole('c.1', false)])
    expect(claims([...denied, r.says(15, 13)], claim)).toEqual([whole('c.1')])
    expect(claims([...denied, r.says(15, 12)], claim)).toEqual([whole('c.1', false)])
  })

  test('G15: in code mode the reason is swallowed, the text beside it arrives', () => {
    const lines = [...r.withTexts(r.recorded('15-code-mode-denied'), { 'CTX-SETTLED': r.marked('c.1', RULE) })]
    const claim = r.claimOf('c.1', RULE, { call: r.callId('exec-1') }, { role: 'hold' })
    expect(r.provenAfter(lines, claim)).toBe(9)
  })

  test('in a subagent`s own file', () => {
    const lines = [...r.withTexts(r.recorded('20-subagent-head'), { 'CTX-SubagentStart': r.marked('s.1', RULE) })]
    const claim = r.claimOf('s.1', RULE, { moment: 'subagent-start', event: 'SubagentStart' })
    expect(claims(lines, claim)).toEqual([whole('s.1', false)])
    expect(claims([...lines, r.says(9, 8)], claim)).toEqual([whole('s.1')])
  })

  test.each(r.recordedRollouts())('%s: taken line by line, nothing of ours is found and nothing breaks', (name) => {
    expect(
      r
        .factsOf(r.recorded(name.replace('.jsonl', '')), { claims: [r.claimOf('x.1', RULE, { call: r.callId('none') })] })
        .filter(({ kind }) => kind !== 'compacted'),
    ).toEqual([])
  })
})

describe('what stands where the text was put', () => {
  const made = (...rest: readonly string[]) => [r.shell(6, 5, 'c1', 'ls'), ...rest]

  test('G3: what a person types, what the model writes and what a command prints prove nothing', () => {
    const text = r.marked('c.1', RULE)
    const lines = made(
      r.typed(7, 5, text),
      r.typed(8, 5, text, 'developer'),
      r.output(9, 5, 'c1', text),
      r.says(10, 9, text),
      r.says(11, 10),
    )
    expect(claims(lines, r.claimOf('c.1', RULE, PRE))).toEqual([{ kind: 'claim', claim: 'c.1', found: 'absent', answered: true }])
    expect(claims(lines, r.claimOf('c.1', RULE, { ...PRE, way: 'reason' }))).toEqual([
      { kind: 'claim', claim: 'c.1', found: 'replaced', answered: true },
    ])
  })

  test('G4: of two texts that begin alike one does not prove the other', () => {
    const lines = made(r.context(7, 5, r.marked('c.1', RULE)), r.output(8, 5, 'c1', 'x'), r.says(9, 8))
    expect(claims(lines, r.claimOf('c.1', `${RULE} Always.`, PRE))).toEqual([{ kind: 'claim', claim: 'c.1', found: 'cut', answered: true }])
    expect(claims(lines, r.claimOf('c.2', RULE, PRE))).toEqual([{ kind: 'claim', claim: 'c.2', found: 'absent', answered: true }])
  })

  test('G6: nothing is said of a call that still runs, or whose output is not answered', () => {
    expect(claims(made(), r.claimOf('c.1', RULE, PRE))).toEqual([])
    expect(claims(made(r.output(8, 5, 'c1', 'x')), r.claimOf('c.1', RULE, PRE))).toEqual([])
    expect(claims(made(r.output(8, 5, 'c1', 'x'), r.says(9, 7)), r.claimOf('c.1', RULE, PRE))).toEqual([])
  })

  test('R6: another call`s output says nothing of this one', () => {
    const lines = made(r.output(8, 5, 'prior-c1', 'x'), r.says(9, 8))
    expect(claims(lines, r.claimOf('c.1', RULE, PRE))).toEqual([])
  })

  test('in code mode a text that is missing is no verdict: the calls of a script have no place of their own', () => {
    const lines = [r.script(6, 5, 'k1', '…'), r.printed(8, 5, 'k1', 'Script completed'), r.says(9, 8)]
    expect(claims(lines, r.claimOf('c.1', RULE, { call: r.callId('exec-1') }))).toEqual([])
  })

  test('X1: over the limit head and tail stand there, and every text of that delivery is cut', () => {
    const spilled = `Warning: truncated output\n${r.marked('c.1', RULE).slice(0, 40)}…\n\nFull hook output saved to: /tmp/x.txt`
    const lines = made(r.context(7, 5, spilled), r.output(8, 5, 'c1', 'x'), r.says(9, 8))
    const cut = (claim: string) => ({ kind: 'claim', claim, found: 'cut', answered: true })
    expect(claims(lines, r.claimOf('c.1', RULE, PRE), r.claimOf('c.2', 'other', PRE))).toEqual([cut('c.1'), cut('c.2')])
  })

  test('G12: a text in the reason, shown or replaced by another hook`s', () => {
    const claim = r.claimOf('c.1', RULE, { ...PRE, way: 'reason' }, { role: 'hold' })
    const reason = (text: string) => `Command blocked by PreToolUse hook: ${text}. Command: touch a`
    const ours = made(r.output(7, 5, 'c1', reason(`stub\n${r.marked('c.1', RULE)}`)), r.says(8, 7))
    expect(claims(ours, claim)).toEqual([whole('c.1')])
    expect(claims(made(r.output(7, 5, 'c1', reason('not on a Monday')), r.says(8, 7)), claim)).toEqual([
      { kind: 'claim', claim: 'c.1', found: 'replaced', answered: true },
    ])
  })

  test('a text in the reason, uncaught in code mode; what a script prints of it is no proof', () => {
    const claim = r.claimOf('c.1', RULE, { call: r.callId('exec-1'), way: 'reason' }, { role: 'hold' })
    const error = `Command blocked by PreToolUse hook: stub\n${r.marked('c.1', RULE)}. Command: touch a`
    const lines = (...texts: readonly string[]) => [r.script(6, 5, 'k1', '…'), r.printed(7, 5, 'k1', ...texts), r.says(8, 7)]
    expect(claims(lines('Script failed', `Script error:\n${error}`), claim)).toEqual([whole('c.1')])
    expect(claims(lines('Script completed', `caught: ${error}`), claim)).toEqual([])
  })

  test('a stub has nothing to prove', () => {
    expect(claims(made(r.context(7, 5, r.marked('c.1', RULE)), r.says(9, 8)), r.claimOf('c.1', '', PRE, { form: 'stub' }))).toEqual([])
  })

  test('a denied call that ran all the same is told, once', () => {
    const pass = r.scan()
    const watch = r.watchOf({
      claims: [r.claimOf('c.1', RULE, PRE, { role: 'hold', form: 'stub' }), r.claimOf('d.1', RULE, { call: r.callId('c2') })],
    })
    for (const line of made(r.ranShell('c1', 'ls', 0), r.ranShell('c2', 'ls', 0))) pass.take(line, watch)
    expect(pass.facts(watch)).toEqual([{ kind: 'missed', cause: 'ran-although-denied', call: 'c1' }])
    expect(pass.facts(watch)).toEqual([])
  })

  test('broken and half-written lines, and lines of other shapes, are passed over', () => {
    const lines = ['', '{', '[]', '{"type":"response_item"}', '{"type":"response_item","payload":7,"metadata":[]}', '{"type":"compacted"}']
    const odd = r.context(7, 5, r.marked('c.1', RULE)).replace('"history_sequence":7', '"history_sequence":"7"')
    expect(claims([...lines.slice(0, 5), odd, r.says(9, 8)], r.claimOf('c.1', RULE, PRE))).toEqual([])
    expect(r.factsOf(lines, {})).toEqual([{ kind: 'compacted', mark: 'at undefined' }])
  })

  test('G18: without numbers nothing is proven', () => {
    const bare = (line: string) => JSON.stringify({ ...JSON.parse(line), metadata: undefined })
    const lines = made(r.context(7, 5, r.marked('c.1', RULE)), r.output(8, 5, 'c1', 'x'), r.says(9, 8)).map(bare)
    expect(claims(lines, r.claimOf('c.1', RULE, PRE))).toEqual([])
  })
})

describe('whatever else stands in the file', () => {
  const noise = r.recordedRollouts().flatMap((name) => r.recorded(name.replace('.jsonl', '')))
  const proof = [r.shell(6, 5, 'c1', 'ls'), r.context(7, 5, r.marked('c.1', RULE)), r.output(8, 5, 'c1', 'x'), r.says(9, 8)]

  test('what was proven once stays proven', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...noise), { maxLength: 30 }), (after) => {
        expect(claims([...proof, ...after], r.claimOf('c.1', RULE, PRE))).toContainEqual(whole('c.1'))
      }),
    )
  })

  test('lines of any shape never throw', () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom('response_item', 'event_msg', 'compacted', 'session_meta'),
          payload: fc.jsonValue(),
          metadata: fc.jsonValue(),
        })
        .map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(Array.isArray(r.factsOf(lines, { claims: [r.claimOf('c.1', RULE, PRE)], wantsHeld: true }))).toBe(true)
      }),
    )
  })
})
