import { renameSync, rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { readOwnToken } from '../../src/server/own-token.ts'
import { findServer } from '../../src/service/find.ts'
import { Served, until } from './served.fixture.ts'
import { COMMIT, OUTPUT, Talk } from './talk.fixture.ts'

const ROUNDS = 12
/** Sessions of each server that talk at once. */
const SESSIONS = 4

/** Deliveries that were answered with a text: they were decided about, and must be in the log. A 204 may mean that there is no state. */
async function work(talks: readonly Talk[], rounds: number): Promise<readonly string[]> {
  const answered: string[] = []
  const one = async (talk: Talk): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const call = talk.newCall()
      for (const tell of [() => talk.bash('git commit -m x'), () => talk.bashDone('npm start', call, 'EADDRINUSE'), () => talk.prompt()]) {
        const answer = await tell()
        expect([200, 204]).toContain(answer?.status)
        if (answer?.status === 200) answered.push(talk.acknowledged.at(-1) ?? '')
      }
    }
  }
  await Promise.all(talks.map(one))
  return answered
}

function begin(): Served {
  const served = new Served({ commit: COMMIT, output: OUTPUT })
  onTestFinished(() => served.end())
  return served
}

/** The lock is deleted, and the second one has opened the state before the first one looks. */
async function takeOver(first: Served, second: Served): Promise<void> {
  for (;;) {
    process.kill(first.pid, 'SIGSTOP')
    rmSync(first.paths.lock)
    // a start asks whoever is named there, and waits for the answer
    rmSync(first.paths.server, { force: true })
    await second.start()
    process.kill(first.pid, 'SIGCONT')
    if ((await second.health()).state === 'serving') return
    // the first one was stopped within a commit
    await second.kill()
  }
}

test('the lock is deleted, and a second server takes the state: the first one is silent, and of neither an answered moment is lost', async () => {
  const first = begin()
  await first.start()
  const talks = (served: Served, from: number) => Array.from({ length: SESSIONS }, (_, number) => new Talk(served, from + number))
  const ofFirst = talks(first, 1)
  const answered = [...(await work(ofFirst, ROUNDS))]

  const second = new Served({}, first)
  onTestFinished(() => second.end())
  await takeOver(first, second)
  const both = await Promise.all([work(ofFirst, ROUNDS), work(talks(second, 101), ROUNDS)])
  answered.push(...both.flat())
  expect(both[1].length).toBeGreaterThan(0)

  expect(await first.health()).toMatchObject({
    state: 'disabled',
    problems: expect.arrayContaining([
      expect.objectContaining({
        code: 'state_taken',
        message: expect.stringContaining('another ContextMD owns it now'),
        cure: expect.stringContaining('stop'),
      }),
    ]),
  })
  expect(await work(ofFirst, 1)).toEqual([])
  const inLog = async (served: Served) => new Set((await served.log()).map(({ delivery }) => delivery))
  expect(missingIn(await inLog(second), answered)).toEqual([])

  // the state is free again, whatever became of the second one
  answered.push(...(await work(talks(second, 201), ROUNDS)))
  await second.kill()
  const again = await until(
    () => work(ofFirst, 1),
    (found) => found.length > 0,
  )
  answered.push(...again)
  expect(missingIn(await inLog(first), answered)).toEqual([])
  expect((await first.health()).state).toBe('serving')
  expect(await first.stop()).toBe(0)
  expect(first.check()).toEqual([])
})

test('the log of the state is deleted under it, while calls come: of what was answered nothing is lost', async () => {
  const served = begin()
  await served.start()
  const talks = [new Talk(served, 1), new Talk(served, 2)]
  const answered = [...(await work(talks, ROUNDS))]
  const busy = work(talks, ROUNDS)
  for (const each of ['-wal', '-shm']) rmSync(`${served.paths.state}${each}`, { force: true })
  answered.push(...(await busy))
  await until(
    async () => {
      answered.push(...(await work(talks, 1)))
      return (await served.health()).counters['state_failed']
    },
    (times) => times !== undefined,
  )
  const logged = new Set((await served.log()).map(({ delivery }) => delivery))
  expect(missingIn(logged, answered)).toEqual([])
  expect(await served.stop()).toBe(0)
  expect(served.check()).toEqual([])
})

test('the data folder is removed while hooks post: the server is found again, says what is gone, and serves on once hooks have a token', async () => {
  const served = begin()
  await served.start()
  const talks = [new Talk(served, 1), new Talk(served, 2)]
  expect((await work(talks, 2)).length).toBeGreaterThan(0)

  const over = new AbortController()
  const posting = async (talk: Talk): Promise<void> => {
    while (!over.signal.aborted) expect([200, 204, 401]).toContain((await talk.bash('git commit -m x'))?.status)
  }
  const posted = talks.map(posting)
  const gone = `${served.paths.data}.gone`
  // at one instant: file by file, the server would make some anew meanwhile
  renameSync(served.paths.data, gone)
  rmSync(gone, { recursive: true, maxRetries: 5 })

  const found = await until(
    () => findServer(served.paths),
    ({ state }) => state === 'ours',
  )
  expect(found).toMatchObject({ file: { pid: served.pid, address: `http://127.0.0.1:${served.port}` } })
  served.ownToken =
    (await until(
      async () => readOwnToken(served.paths.ownToken),
      (token) => token !== null,
    )) ?? ''
  expect((await served.health()).problems).toContainEqual(
    expect.objectContaining({ code: 'data_removed', cure: expect.stringContaining('contextmd setup') }),
  )

  // as setup does it
  served.token = served.issue('hooks', ['orchestration:read'])
  await until(
    () => talks[0]!.bash('git commit -m x'),
    (answer) => answer?.decision === 'deny',
  )
  over.abort()
  await Promise.all(posted)
  expect(await served.stop()).toBe(0)
  expect(served.check()).toEqual([])
})

function missingIn(log: ReadonlySet<string>, deliveries: readonly string[]): readonly string[] {
  return deliveries.filter((delivery) => !log.has(delivery))
}
