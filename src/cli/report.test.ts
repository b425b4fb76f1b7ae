import { describe, expect, test } from 'vitest'
import { id, type EntryId, type RunId } from '../core/id.ts'
import { newReport } from '../report/build.ts'
import { withServer } from '../server/with-server.fixture.ts'
import type { Tally } from '../state/tally.ts'
import { ReportAnswer } from './report-answer.ts'
import { reportText } from './report-table.ts'
import { run } from './run.fixture.ts'

const NOON = new Date(2026, 4, 6, 12, 0, 0).getTime()
const COMMITS = id<EntryId>('team/commit-messages')
const LONG = id<EntryId>('a-store-with-a-long-name/and-a-folder/of-rules/about-database-migrations')

const TALLY: Tally = {
  moments: [
    { harness: 'claude-code', outcome: 'nothing', count: 38, bytes: 0 },
    { harness: 'claude-code', outcome: 'denied', count: 2, bytes: 900 },
  ],
  candidates: [
    { entry: COMMITS, run: id<RunId>('1'), outcome: 'held', verdict: 'shown', count: 2, bytes: 900 },
    { entry: COMMITS, run: id<RunId>('1'), outcome: 'lifted', verdict: null, count: 2, bytes: 0 },
    { entry: LONG, run: id<RunId>('2'), outcome: 'served', verdict: 'hidden', count: 3, bytes: 600 },
    { entry: LONG, run: id<RunId>('2'), outcome: 'over_budget', verdict: null, count: 1, bytes: 0 },
    { entry: LONG, run: id<RunId>('3'), outcome: 'withheld', verdict: null, count: 2, bytes: 0 },
  ],
  gates: [{ entry: COMMITS, lift: 'shown', count: 2 }],
  obedience: [
    { entry: COMMITS, verdict: 'obeyed', withheld: false, count: 1 },
    { entry: COMMITS, verdict: 'violated', withheld: false, count: 1 },
    { entry: LONG, verdict: 'violated', withheld: true, count: 2 },
  ],
}

function report() {
  const report = newReport()
  report.add(TALLY)
  const missed = [{ harness: 'claude-code' as const, cause: 'timed-out' as const, count: 4 }]
  return report.report({ since: NOON, until: NOON + 1, inForce: [COMMITS, LONG, id<EntryId>('team/unused')], missed })
}

describe('the table', () => {
  const text = reportText(ReportAnswer.parse(report()))

  test('has a line for each entry, and below it what most entries have nothing of', () => {
    expect(text).toBe(
      [
        `since ${new Date(NOON).toLocaleString()}`,
        'moments   40, 2 denied',
        'handed    900 bytes in 2 runs, 450 a run',
        'claims    5: 2 shown, 3 hidden, 0 cut, 0 unverified,',
        '          0 without a verdict yet, 0 released (never handed over)',
        'proven    100 % of those with a verdict ended shown, hidden or cut',
        '',
        'entry                            fired served shown hid/cut/unv held forbid obey/viol/none    bytes  B/run',
        '…/of-rules/about-database-migrations'.slice(-32).replace(/^./, '…') +
          '     6      3   0 %       3/0/0    0      0              –        0      0',
        '  left out once: no room or no seam (contextmd log --entry tells which)',
        '  withheld 2 times (holdout); there: obeyed/violated/no occasion 0/2/0',
        'team/commit-messages                 4      2 100 %           –    2      0          1/1/0      900    900',
        '  gates lifted: shown 2',
        '',
        'never fired:',
        '  team/unused',
        '',
        'fired and ignored:',
        '  team/commit-messages',
        '',
        'missed (passed without us, or against us):',
        '  claude-code  timed-out  4',
        '',
      ].join('\n'),
    )
  })

  test('is at most 110 columns wide, also with large figures', () => {
    const big: unknown = JSON.parse(JSON.stringify(report()), (key, value: unknown) =>
      typeof value === 'number' && !key.endsWith('Share') ? 98_765_432 : value,
    )
    for (const line of reportText(ReportAnswer.parse(big)).split('\n')) expect(line.length).toBeLessThanOrEqual(110)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110)
  })
})

describe('contextmd report', () => {
  test('asks for the last week, or since when it is told', async () => {
    const server = await withServer()
    const asked: number[] = []
    server.told.logbook.report = async (since) => {
      asked.push(since)
      return report()
    }
    expect(await run(['report'], server.env)).toMatchObject({ code: 0, out: expect.stringContaining('team/commit-messages') })
    await run(['report', '--since', '2026-05-01T00:00:00Z'], server.env)
    expect(asked[1]).toBe(Date.parse('2026-05-01T00:00:00Z'))
    expect(asked[0]).toBeGreaterThan(Date.now() - 8 * 86_400_000)
    expect(JSON.parse((await run(['report', '--json'], server.env)).out)).toEqual(report())
  })

  test('of nothing says so', async () => {
    const { env } = await withServer()
    expect((await run(['report'], env)).out).toContain('no entry matched a moment')
  })
})

describe('contextmd threads', () => {
  test('lists them, or gives each as a line of JSON', async () => {
    const { env } = await withServer()
    const [head, line] = (await run(['threads'], env)).out.split('\n')
    expect(head).toMatch(/^last seen +runs +moments +denied +bytes {2}thread$/)
    expect(line).toMatch(/ 2 +40 +3 +1234 {2}t1$/)
    expect(JSON.parse((await run(['threads', '--json'], env)).out)).toMatchObject({ thread: 't1', sessions: 1 })
  })

  test('without one says what to do', async () => {
    const server = await withServer()
    server.told.logbook.threads = () => []
    expect((await run(['threads'], server.env)).out).toContain('contextmd setup')
  })
})

describe('contextmd forget', () => {
  test('forgets the thread that is named', async () => {
    const server = await withServer()
    expect(await run(['forget', 't1'], server.env)).toMatchObject({ code: 0, out: 't1 is forgotten.\n' })
    expect(server.told.wishes).toEqual([{ forget: 't1' }])
  })

  test('says when there is nothing to forget', async () => {
    const { env } = await withServer()
    expect(await run(['forget', 't2'], env)).toMatchObject({ code: 1, err: expect.stringContaining('contextmd threads') })
  })
})

test.each([
  ['report', '--since', 'soon'],
  ['threads', '--limit', '0'],
  ['threads', '--limit', '201'],
  ['forget'],
  ['forget', 'a', 'b'],
  ['log', '--outcome', 'shwon'],
])('%s %s %s is a wrong call', async (...argv) => {
  expect(await run(argv)).toMatchObject({ code: 64, out: '' })
})
