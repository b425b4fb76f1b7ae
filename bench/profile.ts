/** `--profile`: where the server's time goes under moments one after the other, by module and by function. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shares, type CpuProfile, type Share } from './cpu-profile.ts'
import type { Effort } from './options.ts'
import { playSession } from './session.ts'
import { summary } from './statistics.ts'
import { ms, table } from './table.ts'
import { serverTarget } from './target.ts'

const ENTRIES = 10_000
const SESSIONS_A_ROUND = 4
/** Sessions before the profile counts: code is being compiled in them. */
const WARM_UP = 4
const TOP = 40
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))

export async function printProfile({ rounds, turns }: Effort): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-profile-'))
  try {
    const target = await serverTarget(ENTRIES, ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder])
    const took: number[] = []
    let from = 0
    let to = 0
    try {
      const client = await target.client()
      for (let session = -WARM_UP; session < rounds * SESSIONS_A_ROUND; session += 1) {
        if (session === 0) from = monotonicUs()
        await playSession(target.session(), turns, async (_, event) => {
          const answer = await client.post(event)
          if (session >= 0) took.push(answer.ms)
          return answer.body
        })
      }
      to = monotonicUs()
      client.close()
    } finally {
      await target.close()
    }
    const [file] = readdirSync(folder)
    if (file === undefined) throw new Error('The server left no profile.')
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile // as V8 writes it
    const all = summary(took)
    console.log(`  ${all.count} moments with ${ENTRIES} entries, p50 ${ms(all.p50)} ms, p95 ${ms(all.p95)} ms as the client saw them\n`)
    const { byModule, byFunction, onBehalf, total } = shares(profile, CHECKOUT, from, to)
    console.log(`${shareTable('by module, with what it calls outside of us', byModule, total, all.count)}\n`)
    console.log(`${shareTable('by our function, with what it calls outside of us', onBehalf, total, all.count)}\n`)
    console.log(`${shareTable('by function, itself only', byFunction, total, all.count)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The clock that V8 stamps samples with: the same in all processes of the machine. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

function shareTable(title: string, shares: readonly Share[], total: number, moments: number): string {
  const rows = shares.slice(0, TOP).map(({ name, us }) => [name, `${((us / total) * 100).toFixed(1)} %`, (us / moments).toFixed(1)])
  return table([title, 'share', 'µs a moment'], rows)
}
