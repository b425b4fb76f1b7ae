import { describe, expect, test } from 'vitest'
import { id } from '../core/id.ts'
import type { LoggedCandidate, LoggedMoment } from '../state.ts'
import { logged, tellEngine } from '../server/engine.fixture.ts'
import { withServer } from '../server/with-server.fixture.ts'
import { LogRow } from './log-row.ts'
import { momentLines, tableHead, verdictLines } from './log-table.ts'
import { run } from './run.fixture.ts'

const NOON = new Date(2026, 4, 6, 12, 0, 0).getTime()
const PLAIN = { colours: false, now: NOON }

function candidate(entry: string, more: Partial<LoggedCandidate> = {}): LoggedCandidate {
  return {
    entry: id(entry),
    entryHash: id('h'),
    atMoment: 'held',
    outcome: 'held',
    claim: id('k1.1'),
    lane: 'rules',
    bytes: 412,
    item: 0,
    verdictAt: null,
    why: null,
    ...more,
  }
}

const HELD: Partial<LoggedMoment> = {
  at: NOON,
  outcome: 'denied',
  bytes: 412,
  ms: { total: 3.14, match: 1, evidence: 0 },
  candidates: [candidate('rules/commit'), candidate('rules/tone', { atMoment: 'known', outcome: 'known', claim: null, bytes: 0 })],
}
const SHOWN: Partial<LoggedMoment> = {
  ...HELD,
  candidates: [candidate('rules/commit', { outcome: 'shown', verdictAt: 2 }), ...(HELD.candidates?.slice(1) ?? [])],
  gates: [{ context: id('c'), entry: id('rules/commit'), lift: 'shown', at: 2 }],
}
const rowOf = (more: Partial<LoggedMoment>) => LogRow.parse(logged(1, more))

describe('the table', () => {
  test('has a line for the moment, one for each candidate and one for each gate', () => {
    expect(tableHead(PLAIN) + momentLines(rowOf(SHOWN), PLAIN)).toBe(
      [
        'time      harness      moment                      outcome          bytes     ms',
        '12:00:00  claude-code  PreToolUse shell            denied           412 B    3.1',
        '          rules/commit  held → shown  412 B',
        '          rules/tone  known',
        '          rules/commit  gate lifted: its text was shown',
        '',
      ].join('\n'),
    )
  })

  test('of another day carries the date; long names are cut with a sign; reasons stand at the end', () => {
    const row = rowOf({ at: NOON - 86_400_000, tool: 'mcp:a-very-long-server/and-its-tool', outcome: 'not_analysed', why: 'too large' })
    const line = momentLines(row, PLAIN)
    expect(line).toMatch(/^2026-05-05 12:00:00 {2}claude-code {2}PreToolUse mcp:a-very-lon… {2}not_analysed /)
    expect(line).toMatch(/too large\n$/)
  })

  test('has colours only where they are wanted', () => {
    expect(momentLines(rowOf(SHOWN), { ...PLAIN, colours: true })).toContain('\u001b[32mshown\u001b[39m')
    expect(momentLines(rowOf(SHOWN), PLAIN)).not.toContain('\u001b')
  })

  test('of a verdict has what changed only', () => {
    expect(verdictLines(rowOf(HELD), rowOf(SHOWN), PLAIN)).toBe(
      [
        '12:00:00  claude-code  PreToolUse shell: verdict',
        '          rules/commit  held → shown  412 B',
        '          rules/commit  gate lifted: its text was shown',
        '',
      ].join('\n'),
    )
    expect(verdictLines(rowOf(SHOWN), rowOf(SHOWN), PLAIN)).toBe('')
  })
})

describe('contextmd log', () => {
  test('prints the newest moments', async () => {
    const told = tellEngine()
    for (let number = 1; number <= 40; number += 1) told.write(logged(number, { tool: `tool-${number}` }))
    const { env } = await withServer(told)
    const { code, out } = await run(['log'], env)
    expect(code).toBe(0)
    expect(out.split('\n')).toHaveLength(1 + 30 + 1)
    expect(out).not.toContain('tool-10 ')
    expect(out).toContain('tool-11 ')
    expect((await run(['log', '-n', '1'], env)).out).toContain('tool-40 ')
    expect((await run(['log', '-n', '1'], env, true)).out).toContain('\u001b[')
    expect((await run(['log', '-n', '1'], { ...env, NO_COLOR: '1' }, true)).out).not.toContain('\u001b[')
  })

  test('--json prints whole rows, one a line', async () => {
    const told = tellEngine()
    told.write(logged(1, HELD))
    told.write(logged(2))
    const { env } = await withServer(told)
    const lines = (await run(['log', '--json'], env)).out.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([logged(1, HELD), logged(2)])
  })

  test('without moments it says what to do', async () => {
    const { env } = await withServer()
    expect((await run(['log'], env)).out).toContain('contextmd setup')
  })

  test('a filter that the server does not take is told', async () => {
    const { env } = await withServer()
    expect(await run(['log', '--harness', 'vim'], env)).toMatchObject({ code: 1, err: expect.stringContaining('docs/protocol.md') })
  })

  test.each([['--follow'], ['--follow', '--json']])(
    '%s %s prints rows as they come, then verdicts, and ends with the server',
    async (...argv) => {
      const told = tellEngine()
      const server = await withServer(told)
      told.write(logged(1, HELD))
      // Each text that is printed brings the next thing that happens.
      const steps: [string, () => void][] = [
        ['rules/commit', () => told.write(logged(1, SHOWN))],
        ['lifted|"lift":"shown"', () => told.write(logged(2, { tool: 'read' }))],
        ['read', () => void server.close()],
      ]
      const ran = await run(['log', ...argv], server.env, false, (text) => {
        const [step] = steps
        if (step === undefined || !new RegExp(step[0]).test(text)) return
        steps.shift()
        step[1]()
      })
      expect(ran.code).toBe(0)
      expect(steps).toEqual([])
    },
  )
})
