/** What a moment costs, in bytes and time, with a long past against a short one: two servers side by side, asked in turn. */
import { summary } from '../bench/statistics.ts'
import { Served } from '../test/faults/served.fixture.ts'
import { COMMIT, HOUSE, OUTPUT, Talk } from '../test/faults/talk.fixture.ts'
import { fillServed, NOT_FULL_YET, type Keeping } from './filled.ts'
import { Findings, megabytes, ms } from './findings.ts'

const YOUNG_MOMENTS = 1_000
/** Turns of work for each of the two, in sessions of their own. */
const TURNS = 300
/** Contexts of both: a moment in one with a long past is not to cost more. */
const CONTEXTS = 20

export async function compareAges(moments: number, keeping: Keeping | null): Promise<readonly string[]> {
  const findings = new Findings(`${moments} moments against ${YOUNG_MOMENTS}`)
  const old = new Served(ENTRIES)
  const young = new Served(ENTRIES)
  try {
    const oldBytes = fillServed(old, { moments, contexts: CONTEXTS }, findings, keeping)
    if (oldBytes === null) return [NOT_FULL_YET]
    const youngBytes = fillServed(young, { moments: YOUNG_MOMENTS, contexts: CONTEXTS }, findings, null) ?? 0
    const [each, eachYoung] = [oldBytes / moments, youngBytes / YOUNG_MOMENTS]
    findings.say(
      `file ${megabytes(oldBytes)} against ${megabytes(youngBytes)}; a moment takes ${each.toFixed(0)} against ${eachYoung.toFixed(0)} bytes: ${(each / eachYoung).toFixed(2)} times`,
    )
    await old.start()
    await young.start()
    const times = await askInTurn(old, young)
    const [far, near] = [summary(times.old), summary(times.young)]
    findings.say(`p50 ${ms(far.p50)} against ${ms(near.p50)}: ${(far.p50 / near.p50).toFixed(2)} times, as clients see it`)
    findings.say(`p95 ${ms(far.p95)} against ${ms(near.p95)}: ${(far.p95 / near.p95).toFixed(2)} times`)
    const inOld = await findings.callsSince(old, moments)
    const inYoung = await findings.callsSince(young, YOUNG_MOMENTS)
    findings.say(`p95 in the server: ${(inOld / inYoung).toFixed(2)} times`)
    await findings.consistent(young)
    await old.stop()
    return findings.broken
  } finally {
    await old.end()
    await young.end()
  }
}

const ENTRIES = { commit: COMMIT, house: HOUSE, output: OUTPUT }

async function askInTurn(old: Served, young: Served): Promise<{ readonly old: number[]; readonly young: number[] }> {
  const times = { old: [] as number[], young: [] as number[] }
  const talks = [
    [times.old, await begun(old)],
    [times.young, await begun(young)],
  ] as const
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [kept, talk] of turn % 2 === 0 ? talks : talks.toReversed()) {
      for (const call of ['ls -la src', 'git status --short', 'npm start']) {
        const from = performance.now()
        await talk.bash(call)
        kept.push(performance.now() - from)
      }
      await talk.batchEnd(talk.newCall())
    }
  }
  return times
}

async function begun(served: Served): Promise<Talk> {
  const talk = new Talk(served, 1_000_001)
  await talk.start()
  await talk.prompt()
  return talk
}
