/**
 * `GET /contextmd/v1/metrics`: counters for Prometheus, in its text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
 *
 * Labels hold names of ours only (outcomes, verdicts, harnesses that we know), never an entry, a thread or anything that grows.
 */
import type { Handler } from 'hono'
import type { OpenedEngine } from '../engine/logbook.ts'
import type { ServerEnv } from './app.ts'
import type { MomentTimes } from './metrics-times.ts'
import { metricsText, type Metric, type Sample } from './metrics-text.ts'

const TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }

/** `figures`: of the server itself, each a gauge under its own name. */
export function metricsRoute(
  engine: OpenedEngine,
  times: MomentTimes,
  figures: () => Readonly<Record<string, number>>,
): Handler<ServerEnv> {
  return (c) => {
    const ofServer = Object.entries(figures()).map(([name, value]) => gauge(name, 'A figure of the server itself.', [[{}, value]]))
    return c.body(metricsText([...metricsOf(engine), ...ofServer, times.metric()]), 200, TEXT)
  }
}

function metricsOf(engine: OpenedEngine): readonly Metric[] {
  const { state, version, startedAt, problems, stores, counters } = engine.health()
  const counted = engine.logbook.totals()
  const severity = (wanted: string): number => problems.filter((problem) => problem.severity === wanted).length
  return [
    gauge('info', 'The version that runs.', [[{ version }, 1]]),
    gauge('serving', '1 while rules are served, 0 while serving is off or disabled.', [[{}, Number(state === 'serving')]]),
    gauge('disabled', '1 while serving is disabled because something is broken.', [[{}, Number(state === 'disabled')]]),
    gauge('start_time_seconds', 'When the server started, in seconds since 1970.', [[{}, startedAt / 1_000]]),
    gauge(
      'problems',
      'Problems that a person can mend: contextmd health.',
      ['error', 'warning', 'info'].map((each) => [{ severity: each }, severity(each)]),
    ),
    gauge('entries', 'Entries in force.', [[{}, stores.reduce((sum, store) => sum + store.entries, 0)]]),
    counter('events_total', 'Things that health counts.', samples('event', counters)),
    ...(counted === null ? [] : countedMetrics(counted)),
  ]
}

function countedMetrics({ totals, size, missed }: NonNullable<ReturnType<OpenedEngine['logbook']['totals']>>): readonly Metric[] {
  return [
    gauge('state_bytes', 'Bytes of the state file that are in use.', [[{}, size]]),
    counter('moments_total', 'Moments by what became of them.', samples('outcome', totals.moments)),
    counter('claims_total', 'Claims by their verdict.', samples('verdict', totals.verdicts)),
    counter('gates_total', 'Gates that lifted, by why, or were armed again.', samples('lift', totals.lifts)),
    counter('obedience_total', 'What agents did after a text was handed over.', samples('verdict', totals.obedience)),
    counter('handed_bytes_total', 'UTF-8 bytes of rule text put into replies, marks included.', [[{}, totals.bytes]]),
    counter(
      'missed_total',
      'What harnesses let pass without us, or against us, over all starts.',
      missed.map(({ harness, cause, count }) => [{ harness, cause }, count]),
    ),
  ]
}

function samples(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ [label]: name }, count])
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples }
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'counter', help, samples }
}
