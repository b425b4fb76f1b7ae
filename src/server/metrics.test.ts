import { describe, expect, test } from 'vitest'
import { tellEngine, type ToldEngine } from './engine.fixture.ts'
import { metricsText } from './metrics-text.ts'
import { newMomentTimes } from './metrics-times.ts'
import { BASE, MOMENT, withServer } from './with-server.fixture.ts'

/** A line of the format: a comment, or a name with labels and a figure. */
const LINE = /^(# (HELP|TYPE) contextmd_[a-z_]+ .+|contextmd_[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [-+.\deE]+)$/

function withTotals(): ToldEngine {
  const told = tellEngine()
  told.logbook.totals = () => ({
    totals: { moments: { served: 3, denied: 1 }, verdicts: { shown: 2 }, lifts: { read: 1 }, obedience: { obeyed: 5 }, bytes: 900 },
    size: 4_096,
    missed: [{ harness: 'claude-code', cause: 'timed-out', count: 7 }],
  })
  return told
}

test('the answer is Prometheus text: each metric once, with its type, each line well formed', async () => {
  const server = await withServer(withTotals())
  await server.post(MOMENT, '{}')
  const response = await server.get(`${BASE}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE)
  const types = text.split('\n').filter((line) => line.startsWith('# TYPE'))
  expect(new Set(types).size).toBe(types.length)
  for (const line of [
    'contextmd_serving 1',
    'contextmd_problems{severity="warning"} 1',
    'contextmd_entries 2',
    'contextmd_events_total{event="moments"} 3',
    'contextmd_moments_total{outcome="denied"} 1',
    'contextmd_claims_total{verdict="shown"} 2',
    'contextmd_gates_total{lift="read"} 1',
    'contextmd_obedience_total{verdict="obeyed"} 5',
    'contextmd_handed_bytes_total 900',
    'contextmd_state_bytes 4096',
    'contextmd_missed_total{harness="claude-code",cause="timed-out"} 7',
    'contextmd_moment_seconds_count 1',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})

test('what nobody bounds stands in no label: harness names of a request, entries, threads', async () => {
  const server = await withServer(withTotals())
  for (const name of ['vim', 'emacs-2', 'x']) await server.post(`${BASE}/moment?harness=${name}`, '{}')
  const text = await (await server.get(`${BASE}/metrics`)).text()
  for (const word of ['vim', 'emacs', 'rules/commit', 't1', '/home/dev']) expect(text).not.toContain(word)
})

test('without a state the rest is told', async () => {
  const server = await withServer()
  const text = await (await server.get(`${BASE}/metrics`)).text()
  expect(text).toContain('contextmd_serving 1\n')
  expect(text).not.toContain('contextmd_state_bytes')
})

describe('the histogram', () => {
  test('counts each moment in every bucket that holds it, and all of them in the last', async () => {
    let clock = 0
    const times = newMomentTimes(() => clock)
    for (const ms of [0.5, 1, 3, 300, 9_000]) {
      // a route that takes that long; the middleware does not look at its context
      await times.measure({} as Parameters<typeof times.measure>[0], async () => {
        clock += ms
      })
    }
    const text = metricsText([times.metric()])
    for (const [end, count] of [
      ['0.001', 2],
      ['0.002', 2],
      ['0.005', 3],
      ['0.25', 3],
      ['0.5', 4],
      ['1', 4],
      ['+Inf', 5],
    ] as const) {
      expect(text).toContain(`contextmd_moment_seconds_bucket{le="${end}"} ${count}\n`)
    }
    expect(text).toContain('contextmd_moment_seconds_count 5\n')
    expect(Number(/_sum (\S+)/.exec(text)?.[1])).toBeCloseTo(9.3045)
  })
})

test('values of labels are written as the format wants them', () => {
  const text = metricsText([{ name: 'x', type: 'gauge', help: 'An x.', samples: [[{ a: 'say "hi"\\\n' }, 1]] }])
  expect(text).toBe('# HELP contextmd_x An x.\n# TYPE contextmd_x gauge\ncontextmd_x{a="say \\"hi\\"\\\\\\n"} 1\n')
})
