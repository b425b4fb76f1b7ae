/** What a moment costs as a whole request, one after the other, with stores of several sizes, against the bare echo. */
import type { Effort } from './options.ts'
import { MOMENT_KINDS, playSession, type MomentOfSession } from './session.ts'
import { momentsAfter, newestMoment } from './server-log.ts'
import { pairedRatio, quietest, summary, type Summary } from './statistics.ts'
import { count, ms, table, times } from './table.ts'
import type { Target } from './target.ts'

/** The moment that the aims are about: a command of 300 bytes, before it runs. */
const AIMED: MomentOfSession = 'command'

export interface MomentsResult {
  readonly targets: readonly {
    readonly name: string
    readonly entries: number | null
    readonly loadedMs: number
    readonly memoryMB: number | null
    /** Processor time of the server for one moment of any kind, with all that it does in the background; null where it can't be told. */
    readonly cpuMs: number | null
    /** Milliseconds as the client saw them, by kind of moment. */
    readonly client: Readonly<Record<string, Summary>>
    /** From the request's arrival to the commit, before a command; null for the echo. */
    readonly inServer: Summary | null
    /** Of the client's time before a command: how many times that of the echo in the same round. */
    readonly toEcho: number
    /** The same of the round with the smallest median of each: what a machine with nothing else to do would show. */
    readonly quietToEcho: number
    /** The same as `client` and `toEcho`, of all moments of the session whatever their kind. */
    readonly all: Summary
    readonly allToEcho: number
  }[]
  /** Before a command: how many times the smallest store's time the others need, in the same rounds. */
  readonly growth: readonly { readonly entries: number; readonly times: number }[]
}

type Rounds = Map<MomentOfSession, number[][]>

/** Sessions for each target before anything counts: by then its code is compiled. */
const WARM_UPS = 3

/** The last target is the echo. Throws where a server did not decide about every moment: then its times say nothing. */
export async function measureMoments(targets: readonly Target[], { rounds, turns }: Effort): Promise<MomentsResult> {
  const measured = new Map<Target, Rounds>(targets.map((target) => [target, new Map()]))
  for (let round = 0; round < WARM_UPS; round += 1) for (const target of targets) await playRound(target, turns, new Map())
  const before = new Map<Target, { readonly row: number; readonly cpuMs: number | null }>()
  for (const target of targets)
    before.set(target, { row: target.place === null ? 0 : await newestMoment(target.place), cpuMs: target.cpuMs() })
  for (let round = 0; round < rounds; round += 1) {
    // in another order each time: what one leaves to do in the background falls on another's share
    for (const index of targets.keys()) {
      const target = targets[(index + round) % targets.length]
      const kept = target && measured.get(target)
      if (target && kept) await playRound(target, turns, kept)
    }
  }
  const commandsOf = (target: Target | undefined) => (target && measured.get(target)?.get(AIMED)) ?? []
  const echo = commandsOf(targets.at(-1))
  const allOf = (target: Target | undefined) => wholeRounds((target && measured.get(target)) ?? new Map())
  const allOfEcho = allOf(targets.at(-1))
  // taken at once: reading the log is work of the server too
  const cpu = new Map(targets.map((target) => [target, difference(target.cpuMs(), before.get(target)?.cpuMs ?? null)]))
  const found = []
  for (const target of targets) {
    const moments = [...(measured.get(target)?.values() ?? [])].flat(2).length
    const cpuMs = cpu.get(target) ?? null
    found.push({
      name: target.name,
      entries: target.place?.entries ?? null,
      loadedMs: target.loadedMs,
      memoryMB: target.memoryMB(),
      cpuMs: cpuMs === null ? null : cpuMs / moments,
      client: Object.fromEntries([...(measured.get(target) ?? [])].map(([kind, values]) => [kind, summary(values.flat())])),
      inServer: await inServer(target, before.get(target)?.row ?? 0, moments),
      toEcho: pairedRatio(commandsOf(target), echo),
      quietToEcho: quietest(commandsOf(target)) / quietest(echo),
      all: summary(allOf(target).flat()),
      allToEcho: pairedRatio(allOf(target), allOfEcho),
    })
  }
  const [smallest, ...larger] = targets.filter(({ place }) => place !== null)
  const growth = larger.map((target) => ({
    entries: target.place?.entries ?? 0,
    times: pairedRatio(commandsOf(target), commandsOf(smallest)),
  }))
  return { targets: found, growth }
}

async function playRound(target: Target, turns: number, kept: Rounds): Promise<void> {
  const client = await target.client()
  const round = new Map<MomentOfSession, number[]>()
  try {
    await playSession(target.session(), turns, async (kind, event) => {
      const answer = await client.post(event)
      if (answer.status !== 200 && answer.status !== 204) throw new Error(`${target.name} answered with ${answer.status}: ${answer.body}`)
      round.set(kind, [...(round.get(kind) ?? []), answer.ms])
      return target.place === null ? '' : answer.body
    })
  } finally {
    client.close()
  }
  for (const [kind, values] of round) kept.set(kind, [...(kept.get(kind) ?? []), values])
}

/** All moments of each round. */
function wholeRounds(rounds: Rounds): readonly (readonly number[])[] {
  const whole: number[][] = []
  for (const kinds of rounds.values()) for (const [index, values] of kinds.entries()) (whole[index] ??= []).push(...values)
  return whole
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before
}

async function inServer({ place, name }: Target, from: number, posted: number): Promise<Summary | null> {
  if (place === null) return null
  const moments = await momentsAfter(place, from)
  if (moments.length < posted) throw new Error(`The server with ${name} logged ${moments.length} of ${posted} moments.`)
  return summary(moments.filter(({ kind, tool }) => kind === 'before-tool' && tool === 'shell').map((moment) => moment.ms.total))
}

export function momentsText({ targets, growth }: MomentsResult): string {
  const rows = targets.map((target) => {
    const client = target.client[AIMED]
    const server = target.inServer
    return [
      target.name,
      client ? ms(client.p50) : '',
      client ? ms(client.p95) : '',
      client ? ms(client.p99) : '',
      times(target.toEcho),
      times(target.quietToEcho),
      ms(target.all.p50),
      times(target.allToEcho),
      server ? ms(server.p50) : '–',
      server ? ms(server.p95) : '–',
      target.cpuMs === null ? '–' : ms(target.cpuMs),
      target.entries === null ? '–' : `${(target.loadedMs / 1_000).toFixed(1)} s`,
      target.memoryMB === null ? '–' : `${target.memoryMB} MB`,
    ]
  })
  const kinds = Object.entries(MOMENT_KINDS).map(([kind, name]) => [
    name,
    ...targets.map(({ client }) => {
      const found = client[kind]
      return found ? `${ms(found.p50)} / ${ms(found.p95)}` : '–'
    }),
  ])
  return [
    table(
      [
        'before a command (ms)',
        'p50',
        'p95',
        'p99',
        'to echo',
        'quietest',
        'any moment p50',
        'to echo',
        'in server p50',
        'p95',
        'CPU a moment',
        'loaded in',
        'memory',
      ],
      rows,
    ),
    '',
    ...growth.map((each) => `  ${count(each.entries)} entries cost ${times(each.times)} what the smallest store costs`),
    '',
    table(['every kind of moment (ms, p50 / p95)', ...targets.map(({ name }) => name)], kinds),
  ].join('\n')
}
