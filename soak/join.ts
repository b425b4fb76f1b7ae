/** What joining costs beside a host with a long past, with and without the index, while the host goes on writing. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { summary } from '../bench/statistics.ts'
import { contextIdOf, id, type CallId, type ClaimId, type SessionId, type TextHash } from '../src/core/id.ts'
import type { Moment } from '../src/core/moment.ts'
import type { Host } from '../src/host.ts'
import { DatabaseFile } from '../src/host/t3code/database-file.ts'
import { RUNNING_INDEX_SQL } from '../src/host/t3code/running-index.ts'
import { t3codeHost } from '../src/host/t3code/t3code.ts'
import { Findings, megabytes, ms, seconds } from './findings.ts'
import { fillHost, RUNNING, sessionOf, threadOf, type HostSize } from './join-host.ts'

const JOINS = 2_000
const LOOKS = 200
/** Of the design: a moment has this long for all of its work. */
const DEADLINE_MS = 600

export async function joinLarge(size: HostSize): Promise<readonly string[]> {
  const findings = new Findings(`${size.attempts} attempts and ${size.items} items of a host`)
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-soak-join-'))
  const file = join(folder, 'statev2.sqlite')
  try {
    findings.say(`file ${megabytes(fillHost(file, size, findings))}`)
    using host = new DatabaseSync(file)
    host.exec('PRAGMA synchronous = OFF')
    await measure('without the index', file, host, size, findings)
    const from = performance.now()
    host.exec(RUNNING_INDEX_SQL)
    findings.say(`the index was made in ${seconds(performance.now() - from)}`)
    await measure('with the index', file, host, size, findings)
    return findings.broken
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(name: string, path: string, writer: DatabaseSync, size: HostSize, findings: Findings): Promise<void> {
  const from = performance.now()
  const file = new DatabaseFile(path)
  const host = t3codeHost({ rows: file, inside: false, now: () => 0, name: path })
  const first = performance.now()
  const early = host.join(moment(sessionOf(size.attempts - 1)), null).joining.state
  findings.say(`${name}: the first moment was ${early} after ${ms(performance.now() - first)}`)
  await host.drain?.()
  findings.say(`${name}: all was loaded after ${ms(performance.now() - from)}`)
  const last = size.attempts - 1
  const running = () => last - 5 * Math.floor(Math.random() * (RUNNING / 5))
  const kinds: readonly [string, string, () => string][] = [
    ['running', 'joined', () => sessionOf(running())],
    ['finished', 'unjoined', () => sessionOf(Math.floor(Math.random() * (size.attempts - RUNNING)))],
    ['plain', 'standalone', () => `plain-${Math.random()}`],
  ]
  for (const [kind, expected, session] of kinds) joins(`${name}: ${kind} sessions`, { host, writer, expected, session, findings })
  looks(name, host, sessionOf(last), threadOf(last), writer, findings)
  file.close()
}

interface Joins {
  readonly host: Host
  readonly writer: DatabaseSync
  readonly expected: string
  readonly session: () => string
  readonly findings: Findings
}

/** The host commits an item before each moment, as it does in life: nothing that was read before may be taken for current. */
function joins(name: string, { host, writer, expected, session, findings }: Joins): void {
  const touch = writer.prepare(`UPDATE orchestration_v2_projection_turn_items SET status = 'completed' WHERE turn_item_id = 'turn-item:1'`)
  const times: number[] = []
  const worked: number[] = []
  let others = 0
  for (let count = 0; count < JOINS; count += 1) {
    touch.run()
    const [from, before] = [performance.now(), process.cpuUsage()]
    const { joining } = host.join(moment(session()), null)
    times.push(performance.now() - from)
    const { user, system } = process.cpuUsage(before)
    worked.push((user + system) / 1_000)
    if (joining.state !== expected) others += 1
  }
  const { p50, p95, max } = summary(times)
  const work = summary(worked)
  findings.say(`${name}: p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(max)}; of the processor p50 ${ms(work.p50)}, p95 ${ms(work.p95)}`)
  findings.holds(others === 0, `${others} of ${JOINS} ${name} were not ${expected}`)
  findings.holds(max < DEADLINE_MS, `a join took ${ms(max)}`)
}

function looks(name: string, host: Host, session: string, thread: string, writer: DatabaseSync, findings: Findings): void {
  host.join(moment(session), null)
  const newest = writer.prepare('SELECT max(ordinal) AS n FROM orchestration_v2_projection_turn_items WHERE thread_id = ?').get(thread)
  const times = Array.from({ length: LOOKS }, () => {
    const from = performance.now()
    host.look?.(lookFor(session, `toolu_${Number(newest?.['n'] ?? 0)}`))
    return performance.now() - from
  })
  const { p50, p95, max } = summary(times)
  findings.say(`${name}: a look for an item: p50 ${ms(p50)}, p95 ${ms(p95)}, most ${ms(max)}`)
}

function moment(session: string): Moment {
  const name = id<SessionId>(session)
  return {
    harness: 'claude-code',
    session: name,
    agent: null,
    context: contextIdOf('claude-code', name, null),
    event: 'UserPromptSubmit',
    deliveryId: null,
    turn: null,
    cwd: '/home/dev/project',
    records: null,
    at: 0,
    kind: 'prompt',
    text: 'go',
    machineMade: false,
  }
}

function lookFor(session: string, call: string): Parameters<NonNullable<Host['look']>>[0] {
  const name = id<SessionId>(session)
  return {
    context: contextIdOf('claude-code', name, null),
    session: name,
    harness: 'claude-code',
    folder: null,
    watch: {
      files: [],
      wantsHeld: false,
      claims: [
        {
          id: id<ClaimId>('k1.1'),
          textHash: id<TextHash>('0'.repeat(64)),
          form: 'text',
          role: 'hold',
          place: { moment: 'before-tool', event: 'PreToolUse', call: id<CallId>(call), way: 'reason' },
        },
      ],
    },
  }
}
