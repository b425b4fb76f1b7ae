/** What one who follows is told, over random histories of a real state: each row once, and in the end as the log has it. */
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { readEvents } from '../cli/sse.ts'
import { id, type ClaimId, type ThreadId } from '../core/id.ts'
import { openLogbook } from '../engine/logbook.ts'
import { openState } from '../state/sqlite/open.fixture.ts'
import { CONTEXT, SESSION, candidateRow, logMoment, momentRow } from '../state/sqlite/rows.fixture.ts'
import type { LogFilter, LoggedMoment, State } from '../state.ts'
import { tellEngine, type ToldEngine } from './engine.fixture.ts'
import { BASE, withServer, type TestServer } from './with-server.fixture.ts'

// a look waits a fifth of a second, and each history takes some
vi.setConfig({ testTimeout: 120_000 })

const THREADS = ['t-1', 't-2'].map((name) => id<ThreadId>(name))
const FILTERS: readonly LogFilter[] = [{}, { thread: THREADS[0]! }, { outcome: 'shown' }, { outcome: 'served', thread: THREADS[0]! }]

const step = fc.oneof(
  fc.record({ kind: fc.constant('moment'), thread: fc.constantFrom(...THREADS), isServed: fc.boolean() }),
  fc.record({ kind: fc.constant('verdict'), which: fc.nat(30) }),
  fc.record({ kind: fc.constant('pause'), turns: fc.nat(20) }),
)
const history = fc.record({ steps: fc.array(step, { maxLength: 40 }), filters: fc.shuffledSubarray([...FILTERS], { minLength: 1 }) })

function engineOn(state: State): ToldEngine {
  const told = tellEngine()
  const logbook = openLogbook({ state: () => state, checkFile: async () => [], sweep: () => {}, entriesInForce: () => [], now: () => 0 })
  told.log = (filter) => state.log(filter)
  told.onLog = (listener) => state.onLog(listener)
  told.logbook.log = logbook.log
  told.logbook.completed = logbook.completed
  return told
}

interface Told {
  readonly kind: string
  readonly row: LoggedMoment
}

/** `until`: the row with which it ends, once that has its verdict. */
async function follow(
  server: TestServer,
  filter: LogFilter,
  lastId?: number,
): Promise<(until: string) => Promise<{ told: Told[]; ids: number[] }>> {
  const hangUp = new AbortController()
  const query = new URLSearchParams({ follow: '', limit: '0', ...(filter as Record<string, string>) }) // these have texts only
  const response = await fetch(`${server.address}${BASE}/log?${query}`, {
    headers: { ...server.as('reader'), ...(lastId !== undefined && { 'last-event-id': String(lastId) }) },
    signal: hangUp.signal,
  })
  let text = ''
  const seen = new TransformStream<string, string>({
    transform(part, out) {
      text += part
      out.enqueue(part)
    },
  })
  const events = readEvents(response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(seen))
  return async (until) => {
    const told: Told[] = []
    for (;;) {
      const { value } = await events.next()
      if (value === undefined) throw new Error('the stream has ended')
      const row = JSON.parse(value.data) as LoggedMoment // as the state gave it
      told.push({ kind: value.event, row })
      if (row.delivery === until && row.candidates[0]?.outcome === 'shown') break
    }
    hangUp.abort()
    return { told, ids: [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number)) }
  }
}

test('each row that is asked for comes once as new, and what comes last of it is how the log has it', async () => {
  const state = openState()
  const server = await withServer(engineOn(state))
  let count = 0

  /** Gives the claim of a served one. */
  function moment(thread: ThreadId, isServed: boolean): readonly [string, ClaimId | null] {
    const name = `d-${(count += 1)}`
    const claim = isServed ? id<ClaimId>(`${name}.1`) : null
    const candidates = [candidateRow({ outcome: isServed ? 'served' : 'known', claim })]
    logMoment(state, momentRow(name, { thread, candidates }))
    return [name, claim]
  }
  const judge = (claim: ClaimId | null): void => {
    const verdict = { claim: claim!, verdict: 'shown' as const, why: null, at: 1 }
    if (claim !== null) state.update({ context: CONTEXT, session: SESSION }, () => ({ claims: [verdict], result: null }))
  }

  await fc.assert(
    fc.asyncProperty(history, async ({ steps, filters }) => {
      const begin = count
      const following = await Promise.all(filters.map((filter) => follow(server, filter)))
      const claims: (ClaimId | null)[] = []
      for (const each of steps) {
        if (each.kind === 'moment') claims.push(moment(each.thread, each.isServed)[1])
        else if (each.kind === 'verdict') judge(claims[each.which] ?? null)
        else for (let turn = 0; turn < each.turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
      const [last, claim] = moment(THREADS[0]!, true)
      judge(claim)
      for (const [at, until] of following.entries()) {
        const { told, ids } = await until(last)
        // who comes back goes on behind the newest
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
        const fresh = told.filter(({ kind }) => kind === 'moment').map(({ row }) => row.number)
        expect(new Set(fresh).size).toBe(fresh.length)
        const stands = new Map(told.map(({ row }) => [row.number, row]))
        const wanted = state.log({ ...filters[at], after: begin })
        expect([...stands.values()].toSorted((a, b) => a.number - b.number)).toEqual(wanted)
      }
    }),
    { numRuns: 12 },
  )
})

/** The last of them with the verdict that ends a stream. */
function write(state: State, ...names: readonly string[]): void {
  for (const name of names) {
    const claim = id<ClaimId>(`${name}.1`)
    logMoment(state, momentRow(name, { candidates: [candidateRow({ outcome: 'served', claim })] }))
    if (name !== names.at(-1)) continue
    const verdict = { claim, verdict: 'shown' as const, why: null, at: 1 }
    state.update({ context: CONTEXT, session: SESSION }, () => ({ claims: [verdict], result: null }))
  }
}

const fresh = (told: readonly Told[]): readonly string[] => told.filter(({ kind }) => kind === 'moment').map(({ row }) => row.delivery)

test('who comes back is told all that came meanwhile, also with limit=0; with a number that this log never had, what comes from now on', async () => {
  const state = openState()
  const server = await withServer(engineOn(state))
  write(state, 'a', 'b', 'c', 'd')
  expect(fresh((await (await follow(server, {}, 2))('d')).told)).toEqual(['c', 'd'])
  const following = await follow(server, {}, 99)
  write(state, 'e')
  expect(fresh((await following('e')).told)).toEqual(['e'])
})

test('a log that begins anew in another file is told from its beginning', async () => {
  const [before, after] = [openState(), openState()]
  let state = before
  const told = engineOn(before)
  told.log = (filter) => state.log(filter)
  told.onLog = (listener) => {
    const stops = [before.onLog(listener), after.onLog(listener)]
    return () => stops.forEach((stop) => stop())
  }
  const logbook = openLogbook({ state: () => state, checkFile: async () => [], sweep: () => {}, entriesInForce: () => [], now: () => 0 })
  Object.assign(told.logbook, { log: logbook.log, completed: logbook.completed, file: logbook.file })
  const server = await withServer(told)
  const [first, second] = [await follow(server, {}), await follow(server, {})]
  write(before, 'a', 'b', 'c')
  expect(fresh((await first('c')).told)).toEqual(['a', 'b', 'c'])
  state = after
  write(after, 'x')
  write(after, 'y')
  expect(fresh((await second('y')).told)).toEqual(['a', 'b', 'c', 'x', 'y'])
})
