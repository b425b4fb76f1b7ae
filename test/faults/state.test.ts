import { chmodSync, copyFileSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOOK_GIVES_UP_MS, Served, until } from './served.fixture.ts'
import { COMMIT, HOUSE, Talk } from './talk.fixture.ts'

const isRootOnLinux = process.getuid?.() === 0 && process.platform === 'linux'
/** Root reads and writes what nobody may, unless it gives up these rights. */
const WITHOUT_ROOT_RIGHTS = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-dac_override,-dac_read_search']

/** Exit code of a second server that was told to take another port than the first has. */
const OTHER_PORT = 1

let served: Served
let talk: Talk
beforeEach(async () => {
  served = new Served({ commit: COMMIT, house: HOUSE })
  talk = new Talk(served)
  await served.start()
  await talk.start()
  await until(isServing, Boolean)
})
afterEach(() => served.end())

/** True once a call is decided about again. */
const isServing = async () => (await talk.bash('git commit'))?.decision === 'deny'
const codes = async () => (await served.health()).problems.map(({ code }) => code)

test.each([50, 1_000])(
  'T14: locked by another program for %i ms: every call is let through, health says why, serving goes on by itself',
  async (ms) => {
    const other = new DatabaseSync(served.paths.state)
    other.exec('BEGIN IMMEDIATE')
    const end = performance.now() + ms
    do {
      const told = await Promise.all([talk.bash('git commit'), talk.bash('ls'), talk.prompt()])
      expect(told.map((answer) => answer?.status)).toEqual([204, 204, 204])
    } while (performance.now() < end)
    expect((await served.health()).problems).toContainEqual(
      expect.objectContaining({ code: 'state_locked', cure: expect.stringContaining('End the other program') }),
    )
    // it has not waited for the lock as long as a hook waits for it
    expect((await served.health()).counters['loop_delay_max_ms']).toBeLessThan(HOOK_GIVES_UP_MS)
    other.exec('ROLLBACK')
    other.close()
    await until(isServing, Boolean)
  },
)

test('deleted under it: told once, then it serves with a new file', async () => {
  rmSync(served.paths.state)
  await until(codesAfterAnswers, (found) => found.includes('state_replaced'))
  await until(isServing, Boolean)
  expect(statSync(served.paths.state).isFile()).toBe(true)
  expect(await served.stop()).toBe(0)
  expect(served.check()).toEqual([])
})

test('replaced under it: told once, then it serves with that one', async () => {
  await served.stop()
  const copy = `${served.paths.state}.copy`
  copyFileSync(served.paths.state, copy)
  await served.start()
  renameSync(copy, served.paths.state)
  await until(codesAfterAnswers, (found) => found.includes('state_replaced'))
  await until(isServing, Boolean)
  expect(await served.stop()).toBe(0)
  expect(served.check()).toEqual([])
})

test('S1: pages damaged under it: whatever it finds, every call is answered and health too; found at the start, it is disabled', async () => {
  await served.stop()
  const whole = readFileSync(served.paths.state)
  await served.start()
  writeFileSync(served.paths.state, damaged(whole))
  for (let round = 0; round < 20; round += 1) expect([200, 204]).toContain((await talk.bash('git commit'))?.status)
  expect((await served.health()).state).toBe('serving')
  expect(await served.stop()).toBe(0)
  restore(damaged(whole))
  await expectDisabled('state_corrupt')
})

test('S1: from a newer version: serving is disabled, the file is left as it is', async () => {
  await served.stop()
  const newer = new DatabaseSync(served.paths.state)
  newer.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99')
  newer.close()
  const before = readFileSync(served.paths.state)
  await expectDisabled('state_newer')
  expect(readFileSync(served.paths.state).equals(before)).toBe(true)
})

test.skipIf(!isRootOnLinux)('S1: in a folder that may not be written: serving is disabled (needs setpriv, as root)', async () => {
  await served.stop()
  const files = readdirSync(served.paths.data).map((name) => join(served.paths.data, name))
  for (const file of files) chmodSync(file, 0o400)
  chmodSync(served.paths.data, 0o500)
  await expectDisabled('state_unwritable', WITHOUT_ROOT_RIGHTS)
  chmodSync(served.paths.data, 0o700)
  for (const file of files) chmodSync(file, 0o600)
})

test('two started at once on one state: one serves, the other says so, and calls go on', async () => {
  await served.stop()
  const codesOfStarts = await Promise.all([served.start(), served.start()])
  expect(codesOfStarts.toSorted()).toEqual([OTHER_PORT, null])
  expect(served.said).toContain('ContextMD is already running on this state')
  expect(await served.start()).toBe(OTHER_PORT)
  expect(await isServing()).toBe(true)
  expect(Math.max(...(await served.log()).map(({ ms }) => ms.total))).toBeLessThan(HOOK_GIVES_UP_MS)
  expect(await served.stop()).toBe(0)
  expect(served.check()).toEqual([])
})

/** Starts, is let through, says why, ends cleanly. */
async function expectDisabled(code: string, before: readonly string[] = []): Promise<void> {
  await served.start({ before })
  expect((await talk.bash('git commit'))?.status).toBe(204)
  const { state, problems } = await served.health()
  expect(state).toBe('disabled')
  expect(problems).toContainEqual(expect.objectContaining({ code, severity: 'error', cure: expect.stringMatching(/\w/) }))
  expect(await served.stop()).toBe(0)
}

async function codesAfterAnswers(): Promise<readonly string[]> {
  expect([200, 204]).toContain((await talk.bash('git commit'))?.status)
  return codes()
}

/** All pages but the first, with what stands in it: a file that still says that it is a database. */
function damaged(whole: Buffer): Buffer {
  return Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 0x5a)])
}

function restore(whole: Buffer): void {
  for (const name of readdirSync(served.paths.data)) {
    if (name.startsWith('contextmd.sqlite-')) rmSync(join(served.paths.data, name))
  }
  writeFileSync(served.paths.state, whole)
}
