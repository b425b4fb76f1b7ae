/** Runs that go on no more, although an attempt of them is still open in the host's rows. */
import { describe, expect, test } from 'vitest'
import { temporaryBase, World } from '../t3code/world.fixture.ts'
import { BesideServer } from './beside-server.fixture.ts'

const S = 'sess-1'
const COMMIT = '---\ntitle: Commit\nmust-know: true\nwhen:\n  - command: git commit\n---\nBe kind.\n'
const long = (name: string) => `---\ntitle: ${name}\nwhen:\n  - prompt: ${name}\n---\n${name.repeat(900)}\n`
/** More than any system gives a process: no process has it. */
const NO_PID = 2 ** 30

async function begin() {
  const home = temporaryBase()
  const world = new World('release', { base: BesideServer.baseIn(home) })
  const server = await BesideServer.start({ home, rules: { commit: COMMIT, alpha: long('alpha'), gamma: long('gamma') } })
  return { world, server }
}

async function waves(server: BesideServer, count: number): Promise<number> {
  let denied = 0
  for (let at = 0; at < count; at += 1) {
    const call = `toolu_${at}`
    if ((await server.bash(S, 'git commit -m x', call)).decision === 'deny') denied += 1
    await server.batchEnd(S, call)
  }
  return denied
}

async function texts(server: BesideServer, prompt: string): Promise<number> {
  return (await server.prompt(S, { prompt })).texts.length
}

describe.each([
  ['its attempt still runs', 'running'],
  ['its latest attempt is superseded', 'superseded'],
])('T11: a run that was rolled back while %s', (_, status) => {
  test('ends the epoch once: it holds no call and is served no text', async () => {
    const { world, server } = await begin()
    world.attempt({ id: 'a1', session: S })
    expect(await texts(server, 'alpha')).toBe(1)
    world.attemptIs('a1', status)
    world.run(`R-${S}`, `T-${S}`, 'rolled_back')
    expect(await waves(server, 4)).toBe(0)
    expect(await texts(server, 'alpha')).toBe(0)
    // the thread's next run is served anew, once
    world.attemptIs('a1', 'cancelled')
    world.attempt({ id: 'b', session: S, run: 'R-2' })
    expect(await texts(server, 'alpha')).toBe(1)
    expect(await texts(server, 'alpha')).toBe(0)
    expect(server.log(S).at(-1)?.epoch).toBe(1)
    expect(server.errors).toEqual([])
  })
})

describe('a host that crashed', () => {
  test.each(['running', 'superseded'])('leaves an attempt %s: the session in a terminal is charged to no dead run', async (status) => {
    const { world, server } = await begin()
    world.attempt({ id: 'a1', session: S })
    world.live()
    expect(await texts(server, 'alpha')).toBe(1)
    world.attemptIs('a1', status)
    world.live(NO_PID)
    for (const prompt of ['gamma', 'alpha']) expect(await texts(server, prompt)).toBe(0)
    expect(server.joinings(S)).toEqual(['joined', 'unjoined', 'unjoined'])
    expect(server.log(S).map(({ run }) => run)).toEqual([`R-${S}`, null, null])
    // it is started again and goes on
    world.live()
    world.attempt({ id: 'a2', session: S, ordinal: 2 })
    world.attemptIs('a1', 'failed')
    expect(await texts(server, 'gamma')).toBe(1)
    expect(server.joinings(S).at(-1)).toBe('joined')
  })

  test('a host that does not say whether it runs has not crashed', async () => {
    const { world, server } = await begin()
    world.attempt({ id: 'a1', session: S })
    expect(await texts(server, 'alpha')).toBe(1)
    expect(server.joinings(S)).toEqual(['joined'])
  })
})
