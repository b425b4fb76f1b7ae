import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StateError, type State } from '../../state.ts'
import { startChild } from './child.fixture.ts'
import { filesIn, openState, putAllAway, temporaryFolder, type Clock } from './open.fixture.ts'
import { serve } from './rows.fixture.ts'
import { openSqliteState } from './state.ts'

/** The error's code, or `ok`. */
function tried(work: () => unknown): string {
  try {
    work()
    return 'ok'
  } catch (thrown) {
    if (!(thrown instanceof StateError)) throw thrown
    return thrown.code
  }
}

const logged = (state: State) => state.log({}).map((row) => String(row.delivery))

function waiting(folder: string): unknown {
  using other = new DatabaseSync(filesIn(folder).file, { readOnly: true })
  return other.prepare('SELECT count(*) AS count FROM backlog').get()?.['count']
}

function removeLog(file: string): void {
  for (const each of [`${file}-wal`, `${file}-shm`]) rmSync(each)
}

describe('a second process opens the state, since the lock file was deleted', () => {
  test('the first one commits nothing more, and all that either acknowledged is in the log', async () => {
    const folder = temporaryFolder()
    const clock = { now: 1_000 }
    const first = openState(folder, clock)
    serve(first, 'first-1')
    rmSync(filesIn(folder).lockFile)
    serve(first, 'first-2')
    const second = startChild('serves-when-told.fixture.ts', [folder])
    expect(await second.line()).toBe('open')
    expect(await second.ask('serve second-1')).toBe('ok')
    // within the second in which it does not look
    expect([tried(() => serve(first, 'refused')), tried(() => first.putAway()), first.identity()]).toEqual(['taken', 'taken', null])
    expect(await second.ask('put-away')).toBe('ok')
    clock.now += 1_000
    expect(() => serve(first, 'refused')).toThrow('was deleted or replaced while in use, and another ContextMD owns it now')
    expect(await second.ask('serve second-2')).toBe('ok')
    await second.kill()

    // it is free again
    clock.now += 1_000
    expect([tried(() => serve(first, 'told')), tried(() => serve(first, 'first-3'))]).toEqual(['failed', 'ok'])
    expect(logged(first)).toEqual(['first-1', 'first-2', 'second-1', 'second-2', 'first-3'])
    expect(first.check()).toEqual([])
  })

  test('what the first one had not put away yet is put away by the second, once, and neither deletes a row of the other', () => {
    const folder = temporaryFolder()
    const first = openState(folder)
    serve(first, 'first-1')
    rmSync(filesIn(folder).lockFile)
    const second = openState(folder)
    serve(second, 'second-1')
    expect([tried(() => putAllAway(first)), waiting(folder)]).toEqual(['taken', 2])
    putAllAway(second)
    serve(second, 'second-2')
    expect([tried(() => putAllAway(first)), tried(() => first.close()), waiting(folder)]).toEqual(['taken', 'ok', 1])
    expect(logged(second)).toEqual(['first-1', 'second-1', 'second-2'])
    expect(second.check()).toEqual([])
  })

  test('a wave of the first one that was on its way is refused as a whole', () => {
    const folder = temporaryFolder()
    const first = openState(folder)
    rmSync(filesIn(folder).lockFile)
    const second = openState(folder)
    const commit = first.gather()
    expect(['d-1', 'd-2'].map((delivery) => tried(() => serve(first, delivery)))).toEqual(['taken', 'taken'])
    expect(tried(commit)).toBe('taken')
    expect(logged(second)).toEqual([])
  })

  test('the log was deleted too: the first one leaves that of the second as it is, whoever ends first', async () => {
    const folder = temporaryFolder()
    const { file, lockFile } = filesIn(folder)
    const first = openState(folder)
    serve(first, 'first-1')
    first.checkpoint()
    rmSync(lockFile)
    removeLog(file)
    const second = startChild('serves-when-told.fixture.ts', [folder])
    expect(await second.line()).toBe('open')
    expect(await second.ask('serve second-1')).toBe('ok')
    await second.kill()
    first.close()
    const third = openState(folder)
    expect(logged(third)).toEqual(['first-1', 'second-1'])
    expect(third.check()).toEqual([])
  })

  test('whatever happens in whatever order, what was acknowledged is in the log, once, and nothing else', () => {
    const who = fc.constantFrom('first', 'second')
    const does = fc.constantFrom('serve', 'serve', 'serve', 'put-away', 'checkpoint', 'read', 'open', 'close', 'crash')
    const step = fc.oneof(fc.constantFrom('another comes', 'delete lock', 'wait'), { weight: 3, arbitrary: fc.tuple(who, does) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const folder = temporaryFolder()
        const clock: Clock = { now: 1_000 }
        const open = new Map<string, State>()
        const left: State[] = []
        const acknowledged: string[] = []
        const openIt = (name: string): void => {
          if (!open.has(name)) tried(() => open.set(name, openSqliteState({ ...filesIn(folder), now: () => clock.now })))
        }
        openIt('first')
        steps.forEach((one, number) => {
          if (one === 'wait') clock.now += 1_000
          else if (one === 'another comes') {
            rmSync(filesIn(folder).lockFile, { force: true })
            for (const name of ['first', 'second']) openIt(name)
          } else if (one === 'delete lock') rmSync(filesIn(folder).lockFile, { force: true })
          else {
            const [name, what] = one
            const state = open.get(name)
            if (what === 'open') openIt(name)
            else if (state === undefined) return
            else if (what === 'serve' && tried(() => serve(state, `d-${number}`, clock.now)) === 'ok') acknowledged.push(`d-${number}`)
            else if (what === 'put-away') tried(() => putAllAway(state))
            else if (what === 'checkpoint') tried(() => state.checkpoint())
            else if (what === 'read' && tried(() => state.log({})) === 'ok') expect(logged(state)).toEqual(acknowledged)
            else if (what === 'close' || what === 'crash') {
              open.delete(name)
              // who crashed does nothing more, and what it holds is freed later
              if (what === 'close') state.close()
              else left.push(state)
            }
          }
        })
        rmSync(filesIn(folder).lockFile, { force: true })
        const last = openSqliteState({ ...filesIn(folder), now: () => clock.now })
        for (const state of [...open.values(), ...left]) state.close()
        expect(logged(last)).toEqual(acknowledged)
        expect(last.check()).toEqual([])
        last.close()
        rmSync(folder, { recursive: true })
      }),
      { numRuns: 40 },
    )
  })
})

describe('nobody else came', () => {
  test.each([
    ['deleted', (lockFile: string) => rmSync(lockFile)],
    ['replaced', (lockFile: string) => renameSync(`${lockFile}.other`, lockFile)],
  ])('a lock file that was %s is told once and locked anew: no second owner comes', (_, change) => {
    const folder = temporaryFolder()
    const { lockFile } = filesIn(folder)
    const clock = { now: 1_000 }
    const state = openState(folder, clock)
    serve(state, 'd-1')
    new DatabaseSync(`${lockFile}.other`).close()
    change(lockFile)
    clock.now += 1_000
    expect(() => serve(state, 'd-2')).toThrow('its lock was deleted or replaced while in use; it was locked and opened anew')
    serve(state, 'd-3')
    expect(tried(() => openState(folder))).toBe('taken')
    expect(logged(state)).toEqual(['d-1', 'd-3'])
    expect(state.check()).toEqual([])
  })

  test.each([
    ['write-ahead file', removeLog],
    ['index of the write-ahead file', (file: string) => rmSync(`${file}-shm`)],
    [
      'write-ahead file, which is another one now',
      (file: string) => {
        removeLog(file)
        new DatabaseSync(`${file}-wal`).close()
      },
    ],
  ])('of a deleted %s nothing is lost: what it held is in the file, and that is told once', (_, change) => {
    const folder = temporaryFolder()
    const clock = { now: 1_000 }
    const state = openState(folder, clock)
    serve(state, 'd-1')
    putAllAway(state)
    serve(state, 'd-2')
    change(filesIn(folder).file)
    serve(state, 'd-3')
    clock.now += 1_000
    expect(() => serve(state, 'd-4')).toThrow('what it held was saved')
    serve(state, 'd-5')
    expect(logged(state)).toEqual(['d-1', 'd-2', 'd-3', 'd-5'])
    expect(state.check()).toEqual([])
  })

  test('before rows are put away, and before the log is written back, it is looked whether all is in place', () => {
    for (const does of [(state: State) => state.putAway(), (state: State) => state.checkpoint()]) {
      const folder = temporaryFolder()
      const state = openState(folder)
      serve(state, 'd-1')
      rmSync(filesIn(folder).lockFile)
      expect([tried(() => does(state)), tried(() => does(state))]).toEqual(['failed', 'ok'])
      expect(logged(state)).toEqual(['d-1'])
    }
  })
})

test('the put-away deletes exactly the rows that it put away, and those that nobody can read', () => {
  const folder = temporaryFolder()
  const { file } = filesIn(folder)
  openState(folder).close()
  const insert = (steps: string): void => {
    using other = new DatabaseSync(file)
    other.prepare('INSERT INTO backlog (steps) VALUES (?)').run(steps)
  }
  insert('{"steps":')
  const state = openState(folder)
  insert('{"steps":[],"contexts":[],"threads":[]}')
  serve(state, 'd-1')
  putAllAway(state)
  // what came by other hands while it was open is not known to it: it is taken over at the next start
  expect([logged(state), waiting(folder)]).toEqual([['d-1'], 1])
  state.close()
  putAllAway(openState(folder))
  expect(waiting(folder)).toBe(0)
})
