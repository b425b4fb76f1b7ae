import { cpSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startChild } from './child.fixture.ts'
import { filesIn, openState, putAllAway, temporaryFolder } from './open.fixture.ts'
import { serve } from './rows.fixture.ts'

const KILLS = 5

const isRoot = process.getuid?.() === 0

test('T14: a database that another process has locked is told, and then not asked for a second', async () => {
  const folder = temporaryFolder()
  const clock = { now: 1_000 }
  const state = openState(folder, clock)
  serve(state, 'd-1')
  putAllAway(state)
  const other = startChild('holds-transaction.fixture.ts', [filesIn(folder).file])
  expect(await other.line()).toBe('held')
  expect(() => serve(state, 'd-2')).toThrow(expect.objectContaining({ code: 'locked' }))
  expect(state.log({})).toHaveLength(1)

  await other.end()
  clock.now += 999
  expect(() => serve(state, 'd-2')).toThrow(expect.objectContaining({ code: 'locked' }))
  clock.now += 1
  serve(state, 'd-2')
  expect(state.log({})).toHaveLength(2)
})

test('kill -9 in the middle of updates, 5 times: nothing acknowledged is lost, nothing is inconsistent', async () => {
  const folder = temporaryFolder()
  const acknowledged: string[] = []
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = startChild('serves-forever.fixture.ts', [folder, `life-${kill}`])
    for (let lines = 0; lines < 40 * kill; lines++) acknowledged.push((await child.line()) ?? 'it ended by itself')
    await child.kill()
  }
  const state = openState(folder)
  const logged = new Set<string>(state.log({ limit: 1_000_000 }).map((row) => row.delivery))
  expect(acknowledged.filter((delivery) => !logged.has(delivery))).toEqual([])
  expect(state.check()).toEqual([])
})

test.skipIf(!isRoot || process.platform !== 'linux')(
  'a full disk is told, takes nothing half, and serving goes on by itself (needs root, to mount one)',
  async () => {
    const folder = temporaryFolder()
    const onSmallDisk = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=4m none "$0" && exec "$@"', folder]
    const child = startChild('fills-disk.fixture.ts', [folder], onSmallDisk)
    expect(JSON.parse((await child.line()) ?? '{}')).toEqual({ code: 'full', isAllLogged: true, after: true, problems: [] })
  },
)

describe('the file under us', () => {
  test('a deleted file is told once, then serving goes on with a new one', () => {
    const folder = temporaryFolder()
    const clock = { now: 1_000 }
    const state = openState(folder, clock)
    serve(state, 'd-1')
    rmSync(dirname(filesIn(folder).file), { recursive: true })
    clock.now += 1_000
    expect(() => serve(state, 'd-2')).toThrow(expect.objectContaining({ code: 'replaced' }))
    serve(state, 'd-2')
    expect(state.log({}).map((row) => row.delivery)).toEqual(['d-2'])
  })

  test('a replaced file is told once, then serving goes on with that one', () => {
    const folder = temporaryFolder()
    const clock = { now: 1_000 }
    const { file } = filesIn(folder)
    const state = openState(folder, clock)
    serve(state, 'kept')
    state.checkpoint()
    cpSync(file, `${file}.backup`)
    serve(state, 'lost')
    renameSync(`${file}.backup`, file)
    clock.now += 1_000
    expect(() => state.log({})).toThrow(expect.objectContaining({ code: 'replaced' }))
    expect(state.log({}).map((row) => row.delivery)).toEqual(['kept'])
    expect(state.check()).toEqual([])
  })

  test('while no file can be opened in its place, every call says why; it is tried again each second', () => {
    const folder = temporaryFolder()
    const clock = { now: 1_000 }
    const state = openState(folder, clock)
    rmSync(dirname(filesIn(folder).file), { recursive: true })
    const stranger = openState(folder)
    clock.now += 1_000
    for (let call = 0; call < 2; call++) expect(() => serve(state, 'd-1')).toThrow(expect.objectContaining({ code: 'taken' }))
    stranger.close()
    clock.now += 1_000
    expect(() => serve(state, 'd-1')).toThrow(expect.objectContaining({ code: 'replaced' }))
    serve(state, 'd-1')
  })

  test('a file that is still ours is looked at and used on', () => {
    const clock = { now: 1_000 }
    const state = openState(temporaryFolder(), clock)
    for (const now of [2_000, 500, 10_000]) {
      clock.now = now
      serve(state, `d-${now}`)
    }
    expect(state.log({})).toHaveLength(3)
  })
})
