import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageHash } from './records-hash.ts'
import { parseLine } from './records-line.ts'
import { recorded, recordedSessions } from './session.fixture.ts'

const kindsIn = (name: string) => recorded(name).map((line) => parseLine(line)?.kind ?? null)

describe('lines of a session file', () => {
  test('each recorded line is taken for what it is', () => {
    expect(kindsIn('api-request-chain.jsonl')).toEqual([
      null,
      null,
      null,
      'context',
      'user',
      'context',
      'message',
      'message',
      'request',
      'reply',
      'reply',
      'user',
      'request',
      'reply',
    ])
    expect(kindsIn('compaction.auto.jsonl')).toEqual(['user', 'context', 'boundary', 'user', null, 'context'])
    expect(kindsIn('parallel-three-one-denied.jsonl')).toEqual(['reply', 'reply', 'reply', 'user', 'user', 'user', null, 'context'])
    expect(kindsIn('subagent.jsonl')).toEqual(['user', null, 'context', 'reply', null, 'context', 'user', 'reply'])
    expect(kindsIn('prompt-blocked.jsonl')).toEqual([null, null, null, 'user'])
    expect(kindsIn('post-tool-blocked.jsonl')).toEqual([null, null, null, null])
  })

  test('every result in every recorded session says how its call ended', () => {
    const states = recordedSessions().flatMap((name) =>
      recorded(name).flatMap((text) => {
        const line = parseLine(text)
        return line?.kind === 'user' ? line.results.map(({ call, state }) => `${name} ${call} ${state}`) : []
      }),
    )
    expect(states.toSorted()).toEqual(
      [
        'api-request-chain.jsonl toolu_0001 denied',
        'parallel-three-one-denied.jsonl toolu_0003 ok',
        'parallel-three-one-denied.jsonl toolu_0004 ok',
        'parallel-three-one-denied.jsonl toolu_0005 denied',
        'permission-denials.jsonl toolu_0001 denied',
        'permission-denials.jsonl toolu_0001 denied',
        'permission-denials.jsonl toolu_0002 denied',
        'permission-denials.jsonl toolu_0003 denied',
        'permission-denials.jsonl toolu_0004 denied',
        'permission-denials.jsonl toolu_0005 denied',
        'permission-denials.jsonl toolu_0007 denied',
        'permission-denials.jsonl toolu_0008 denied',
        'subagent.jsonl toolu_0014 ok',
        'tool-denied.Bash.jsonl toolu_0001 denied',
        'tool-failed.Bash.jsonl toolu_0006 failed',
        'tool-failed.Read.jsonl toolu_0009 failed',
        'tool-ok.Edit+pre-context.jsonl toolu_0007 ok',
        'tool-ok.Write.jsonl toolu_0008 ok',
        'tool-retried-after-deny.Bash.jsonl toolu_0002 failed',
        'two-denies.jsonl toolu_0006 denied',
      ].toSorted(),
    )
  })

  test('only a refusal by a hook before the call is one of ours', () => {
    const reasons = recorded('permission-denials.jsonl').flatMap((text) => {
      const line = parseLine(text)
      return line?.kind === 'user' ? line.results.filter((result) => result.isHookDeny).map((result) => result.text) : []
    })
    expect(reasons).toEqual(['PreToolUse:Bash hook error: PRE-DENY'])
  })

  test('a failed hook is ours, or somebody else`s, or nobody says', () => {
    const whose = (lines: readonly string[]) =>
      lines.map((text) => {
        const line = parseLine(text)
        return line?.kind === 'hook-failed' ? `${line.cause}${line.isNamed ? '' : '?'}` : (line?.kind ?? null)
      })
    const lines = recorded('hook-errors.jsonl')
    const ours = lines.map((line) => line.replaceAll(':4517/A/PreToolUse', ':4517/contextmd/v1/moment'))
    expect(whose(ours)).toEqual([
      'refused',
      'refused',
      'refused',
      'bad-answer?',
      'bad-answer?',
      'refused?',
      'timed-out',
      'timed-out',
      'refused',
      'refused',
    ])
    const others = lines.map((line) => line.replaceAll('.contextmd/', '.other/'))
    expect(whose(others).filter((kind) => kind !== null && !kind.endsWith('?'))).toEqual(Array(4).fill('other-http-hook'))
  })

  test('the hash of a message is the one in the records', () => {
    const lines = recorded('api-request-chain.jsonl').map((line) => JSON.parse(line))
    const tails = lines.filter((line) => line.type === 'api-request').map((line) => line.tail)
    const deny = lines.find((line) => line.toolDenialKind !== undefined)
    const said = lines.filter((line) => line.message?.id === 'msg_0001').flatMap((line) => line.message.content)
    const prompt = lines.find((line) => line.type === 'api-request-blob' && line.message.role === 'user')
    expect(messageHash('user', deny.message.content)).toBe(tails[1][1])
    expect(messageHash('assistant', said)).toBe(tails[1][0])
    expect(messageHash('user', prompt.message.content)).toBe(tails[0][0])
    const cached = deny.message.content.map((block: object) => ({ cache_control: { type: 'ephemeral' }, ...block }))
    expect(messageHash('user', cached)).toBe(tails[1][1])
  })

  test('anything else is passed over', () => {
    for (const line of ['', '{', 'null', '[]', '1', '{"type":"assistant"', '{"type":"user"}', '{"type":"system"}', '{"type":7}']) {
      expect(() => parseLine(line)).not.toThrow()
    }
    const shape = fc.record(
      {
        type: fc.constantFrom('assistant', 'user', 'attachment', 'system', 'api-request', 'api-request-blob'),
        message: fc.anything(),
        attachment: fc.anything(),
        compactMetadata: fc.anything(),
        keep: fc.anything(),
        tail: fc.anything(),
        id: fc.anything(),
        uuid: fc.anything(),
        subtype: fc.constantFrom('compact_boundary', null),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(fc.property(shape, (value) => void parseLine(JSON.stringify(value))))
  })
})
