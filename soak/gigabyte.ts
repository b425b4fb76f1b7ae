/** Session files of a gigabyte: calls are answered in time all the same, and the proof is found behind all of it. */
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { Served, until } from '../test/faults/served.fixture.ts'
import { COMMIT, Talk } from '../test/faults/talk.fixture.ts'
import { Findings, megabytes, ms, seconds } from './findings.ts'

const PIECE = `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: 'x'.repeat(60_000) } })}\n`

export async function readHugeFiles(bytes: number): Promise<readonly string[]> {
  const findings = new Findings(`session files of ${megabytes(bytes)}`)
  const served = new Served({ commit: COMMIT })
  try {
    await served.start()
    await proveBehind(findings, served, new Talk(served, 1), 'whole lines', (talk) => appendLines(talk.records, bytes))
    await proveBehind(findings, served, new Talk(served, 2), 'one torn line of zeros', (talk) => truncateSync(talk.records, bytes))
    const resumed = new Talk(served, 3)
    appendLines(resumed.records, bytes)
    await resumed.start('resume')
    const from = performance.now()
    const answer = await resumed.bash('git commit')
    findings.say(`resume that replays it: first call answered with ${answer?.status} after ${ms(performance.now() - from)}`)
    findings.holds(answer !== null, 'the first call of a resume was not answered')
    await findings.callsSince(served, 0)
    await findings.consistent(served)
    return findings.broken
  } finally {
    await served.end()
  }
}

/** A call is held; the file grows, and only then comes the proof. Other calls go on meanwhile. */
async function proveBehind(findings: Findings, served: Served, talk: Talk, what: string, grow: (talk: Talk) => void): Promise<void> {
  await talk.start()
  await talk.prompt()
  talk.answers({ id: 'toolu_held', command: 'git commit' })
  const held = await talk.bash('git commit', 'toolu_held')
  grow(talk)
  // ends the line that stands there, if it is torn
  const file = openSync(talk.records, 'a')
  writeSync(file, '\n')
  closeSync(file)
  talk.arrives('toolu_held', held?.text ?? '')
  talk.answers()
  await talk.batchEnd('toolu_held')
  const from = performance.now()
  await until(
    async () => {
      await talk.tell('UserPromptSubmit', { prompt: 'go on', prompt_id: `p-${performance.now()}` })
      return verdictOf(served, talk)
    },
    (outcome) => outcome !== 'held',
  )
  const outcome = await verdictOf(served, talk)
  findings.say(`${what}: the claim was judged ${outcome} ${seconds(performance.now() - from)} after its proof was written`)
  const { counters } = await served.health()
  findings.say(`event loop held up ${counters['loop_delay_max_ms']} ms at most so far`)
  findings.holds(outcome === 'shown', `the proof behind ${what} was not found: ${outcome}`)
}

async function verdictOf(served: Served, talk: Talk): Promise<string | undefined> {
  const rows = await served.log()
  return rows.find((row) => row.context === talk.context && row.outcome === 'denied')?.candidates[0]?.outcome
}

function appendLines(path: string, bytes: number): void {
  writeFileSync(path, '', { flag: 'a' })
  const file = openSync(path, 'a')
  const slice = Buffer.from(PIECE.repeat(256))
  for (let written = 0; written < bytes; written += slice.length) writeSync(file, slice)
  closeSync(file)
}
