/** Waves: 48 calls of one model reply at once, against an armed gate. Every one has to be denied, and quickly. */
import type { BareClient } from './bare-client.ts'
import { commandHooks } from './hook-clients.ts'
import type { Effort } from './options.ts'
import { momentsAfter, newestMoment } from './server-log.ts'
import { heldCall, opening } from './session.ts'
import { summary, type Summary } from './statistics.ts'
import { ms, table } from './table.ts'
import type { Target } from './target.ts'

/** Calls of one wave. */
const WAVE = 48
/** Of a mixed wave, by client. */
const SHARE = WAVE / 3

export interface WavesResult {
  readonly waves: readonly {
    readonly name: string
    readonly inServer: Summary | null
    readonly clients: readonly { readonly name: string; readonly ms: Summary }[]
    /** Calls that were not denied. Anything but 0 is a fault. */
    readonly letThrough: number
  }[]
}

interface Sender {
  readonly name: string
  readonly post: (event: string) => Promise<{ readonly ms: number; readonly answer: string }>
}

export async function measureWaves(target: Target, echo: Target, { waves }: Effort): Promise<WavesResult> {
  if (target.place === null) throw new Error('Gates stand in a real server.')
  const { shAndCurl, node } = commandHooks(target.place)
  const own = await clients(target)
  const others = await clients(echo)
  try {
    const bare = own.map((client) => senderOf(client))
    const ways = [
      { name: `${WAVE} kept connections`, target, senders: bare },
      { name: 'the same to the bare echo', target: echo, senders: others.map((client) => senderOf(client)) },
      {
        name: `${SHARE} of each at once`,
        target,
        senders: [
          ...bare.slice(0, SHARE),
          ...Array.from({ length: SHARE }, () => ({ name: 'sh + curl', post: shAndCurl })),
          ...Array.from({ length: SHARE }, () => ({ name: 'node script', post: node })),
        ],
      },
    ].map((way) => ({ ...way, times: new Map<string, number[]>(), inServer: new Array<number>(), letThrough: 0 }))
    for (let wave = 0; wave <= waves; wave += 1) {
      for (const way of ways) {
        const from = way.target.place === null ? 0 : await newestMoment(way.target.place)
        const took = await send(way.target, way.senders)
        // the first one warms up
        if (wave === 0) continue
        for (const { name, ms: time } of took) way.times.set(name, [...(way.times.get(name) ?? []), time])
        if (way.target.place === null) continue
        way.letThrough += took.filter(({ answer }) => !answer.includes('"permissionDecision":"deny"')).length
        const moments = await momentsAfter(way.target.place, from)
        way.inServer.push(...moments.filter(({ kind }) => kind === 'before-tool').map((moment) => moment.ms.total))
      }
    }
    return {
      waves: ways.map(({ name, times, inServer, letThrough }) => ({
        name,
        inServer: inServer.length === 0 ? null : summary(inServer),
        clients: [...times].map(([client, values]) => ({ name: client, ms: summary(values) })),
        letThrough,
      })),
    }
  } finally {
    for (const client of [...own, ...others]) client.close()
  }
}

/** Kept connections, over which waves of new sessions are sent. */
export async function openWave(target: Target) {
  const own = await clients(target)
  const senders = own.map((client) => senderOf(client))
  return {
    send: () => send(target, senders),
    close(): void {
      for (const client of own) client.close()
    },
  }
}

function clients(target: Target): Promise<readonly BareClient[]> {
  return Promise.all(Array.from({ length: WAVE }, () => target.client()))
}

function senderOf(client: BareClient): Sender {
  return {
    name: 'kept connection',
    async post(event) {
      const { ms, body } = await client.post(event)
      return { ms, answer: body }
    },
  }
}

/** The first wave of a new session, whose gate is armed. */
async function send(target: Target, senders: readonly Sender[]) {
  const session = target.session()
  for (const event of opening(session)) await senders[0]?.post(event)
  return Promise.all(
    senders.map(async ({ name, post }, index) => ({
      name,
      ...(await post(heldCall(session, `toolu_${session.id.slice(0, 8)}_${index}`))),
    })),
  )
}

export function wavesText({ waves }: WavesResult): string {
  const rows = waves.flatMap(({ name, inServer, clients, letThrough }) => [
    [name, inServer ? ms(inServer.p50) : '–', inServer ? ms(inServer.p95) : '–', '', '', inServer ? letThrough : '–'],
    ...clients.map((client) => [`  as seen by: ${client.name}`, '', '', ms(client.ms.p50), ms(client.ms.p95), '']),
  ])
  return table([`a wave of ${WAVE} against an armed gate (ms)`, 'in server p50', 'p95', 'client p50', 'p95', 'let through'], rows)
}
