/** `--profile`: where the server's time goes, by module and by function: under moments one after the other, and under waves. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shares, type CpuProfile, type Share } from './cpu-profile.ts'
import type { Effort } from './options.ts'
import { playSession } from './session.ts'
import { summary } from './statistics.ts'
import { ms, table } from './table.ts'
import { serverTarget, type Target } from './target.ts'
import { openWave } from './waves.ts'

const ENTRIES = 10_000
const SESSIONS_A_ROUND = 4
/** Sessions and waves before the profile counts: code is being compiled in them. */
const WARM_UP = 6
const TOP = 30
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))

/** What the server was asked during a stretch of the profile, in microseconds of the clock that V8 stamps samples with. */
interface Stretch {
  readonly name: string
  readonly from: number
  readonly to: number
  /** As the client saw them, in milliseconds. */
  readonly took: readonly number[]
}

export async function printProfile({ rounds, turns, waves }: Effort): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-profile-'))
  try {
    const target = await serverTarget(ENTRIES, ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder])
    const stretches: Stretch[] = []
    try {
      stretches.push(await playSessions(target, rounds * SESSIONS_A_ROUND, turns))
      stretches.push(await playWaves(target, waves))
    } finally {
      await target.close()
    }
    const [file] = readdirSync(folder)
    if (file === undefined) throw new Error('The server left no profile.')
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile // as V8 writes it
    for (const stretch of stretches) printStretch(profile, stretch)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function playSessions(target: Target, sessions: number, turns: number): Promise<Stretch> {
  const client = await target.client()
  const took: number[] = []
  let from = 0
  for (let session = -WARM_UP; session < sessions; session += 1) {
    if (session === 0) from = monotonicUs()
    await playSession(target.session(), turns, async (_, event) => {
      const answer = await client.post(event)
      if (session >= 0) took.push(answer.ms)
      return answer.body
    })
  }
  client.close()
  return { name: 'one after the other', from, to: monotonicUs(), took }
}

async function playWaves(target: Target, waves: number): Promise<Stretch> {
  const wave = await openWave(target)
  const took: number[] = []
  let from = 0
  for (let number = -WARM_UP; number < waves; number += 1) {
    if (number === 0) from = monotonicUs()
    const calls = await wave.send()
    if (number >= 0) took.push(...calls.map((call) => call.ms))
  }
  wave.close()
  return { name: 'waves against an armed gate', from, to: monotonicUs(), took }
}

function printStretch(profile: CpuProfile, { name, from, to, took }: Stretch): void {
  const all = summary(took)
  const { byModule, byFunction, onBehalf, total } = shares(profile, CHECKOUT, from, to)
  console.log(
    `  ${name}: ${all.count} moments with ${ENTRIES} entries, p50 ${ms(all.p50)} ms, p95 ${ms(all.p95)} ms as the client saw them\n`,
  )
  console.log(`${shareTable('by module, with what it calls outside of us', byModule, total, all.count)}\n`)
  console.log(`${shareTable('by our function, with what it calls outside of us', onBehalf, total, all.count)}\n`)
  console.log(`${shareTable('by function, itself only', byFunction, total, all.count)}\n`)
}

function shareTable(title: string, shares: readonly Share[], total: number, moments: number): string {
  const rows = shares.slice(0, TOP).map(({ name, us }) => [name, `${((us / total) * 100).toFixed(1)} %`, (us / moments).toFixed(1)])
  return table([title, 'share', 'µs a moment'], rows)
}

/** The clock that V8 stamps samples with: the same in all processes of the machine. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
