import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { id, type ThreadId } from '../../core/id.ts'
import { JOININGS } from '../../host.ts'
import { run } from '../../cli/run.fixture.ts'
import { GENERATIONS, temporaryBase, World, type Generation } from '../t3code/world.fixture.ts'
import { BesideServer } from './beside-server.fixture.ts'

const HOUSE = '---\ntitle: House\nwhen:\n  - session: start\n---\nBe kind.\n'
const COMMIT = '---\ntitle: Commit\nmust-know: true\nwhen:\n  - command: git commit\n---\nImperative subject.\n'
/** Two of these do not fit into the budget of one run. */
const long = (name: string) => `---\ntitle: ${name}\nwhen:\n  - prompt: ${name}\n---\n${name.repeat(900)}\n`
const LONG = { alpha: long('alpha'), gamma: long('gamma'), delta: long('delta') }
const S = '00000000-0000-4000-8000-00000000000a'

async function begin(generation: Generation = 'release', rules: Record<string, string> = { house: HOUSE, commit: COMMIT }) {
  const home = temporaryBase()
  const world = new World(generation, { base: BesideServer.baseIn(home) })
  const server = await BesideServer.start({ home, rules })
  return { home, world, server }
}

describe.each(Object.keys(GENERATIONS) as Generation[])('beside %s', (generation) => {
  test('moments find their run while another connection writes: start, gap of a steering restart, successor, end', async () => {
    const { world, server } = await begin(generation)
    world.attempt({ id: 'a1', session: S, status: 'pending', runStatus: 'starting' })
    expect((await server.start(S)).status).toBe(204)
    world.attemptIs('a1', 'running')
    expect((await server.prompt(S)).texts).toEqual(['Be kind.'])
    world.attemptIs('a1', 'superseded')
    world.attempt({ id: 'a2', session: S, ordinal: 2, status: 'pending', reason: 'steering_restart' })
    expect((await server.bash(S, 'git commit', 'toolu_1')).decision).toBe('deny')
    world.attemptIs('a2', 'running')
    expect((await server.bash(S, 'git commit', 'toolu_2')).decision).toBe('deny')
    world.attemptIs('a2', 'completed')
    expect((await server.bash(S, 'git commit', 'toolu_3')).status).toBe(204)
    expect(server.joinings(S)).toEqual(['unjoined', 'joined', 'unjoined', 'joined', 'unjoined'])
    expect(server.log(S).map(({ run }) => run)).toEqual([null, `R-${S}`, `R-${S}`, `R-${S}`, null])
    expect(server.running.engine.health().hosts).toMatchObject([{ name: world.file, state: 'joining' }])
    expect(server.problems()).toEqual([])
    expect(server.errors).toEqual([])
    expect(await server.running.engine.logbook.check()).toEqual([])
  })

  test('a plain terminal is served, and its budget and texts move along when it is joined', async () => {
    const { world, server } = await begin(generation, { house: HOUSE, ...LONG })
    expect((await server.start(S)).texts).toEqual(['Be kind.'])
    expect((await server.prompt(S, { prompt: 'alpha' })).texts).toEqual(['alpha'.repeat(900)])
    world.attempt({ id: 'a1', session: S })
    // a fresh budget would have room for the whole text
    const joined = await server.prompt(S, { prompt: 'gamma' })
    expect(joined.texts).toHaveLength(1)
    expect(joined.texts[0]).toContain('gamma.md')
    expect(server.joinings(S)).toEqual(['standalone', 'standalone', 'joined'])
  })
})

test('the budget is of the run, whatever attempt of it goes on', async () => {
  const { world, server } = await begin('release', LONG)
  world.attempt({ id: 'a1', session: S })
  expect((await server.prompt(S, { prompt: 'alpha' })).texts).toEqual(['alpha'.repeat(900)])
  world.attemptIs('a1', 'superseded')
  world.attempt({ id: 'a2', session: S, ordinal: 2, reason: 'steering_restart' })
  expect((await server.prompt(S, { prompt: 'gamma' })).texts[0]).toContain('gamma.md')
  world.attemptIs('a2', 'completed')
  world.attempt({ id: 'b1', session: S, run: 'R-2' })
  expect((await server.prompt(S, { prompt: 'delta' })).texts).toEqual(['delta'.repeat(900)])
})

test('T11: a rolled back run ends the epoch although the session stays: what was shown in it is served again', async () => {
  const { world, server } = await begin()
  world.attempt({ id: 'a1', session: S })
  expect((await server.prompt(S)).texts).toEqual(['Be kind.'])
  expect((await server.prompt(S)).texts).toEqual([])
  await server.stop(S)
  world.attemptIs('a1', 'completed')
  world.run(`R-${S}`, `T-${S}`, 'rolled_back')
  world.attempt({ id: 'b1', session: S, run: 'R-2' })
  expect((await server.prompt(S)).texts).toEqual(['Be kind.'])
  expect((await server.prompt(S)).texts).toEqual([])
  expect(server.log(S).map(({ epoch }) => epoch)).toEqual([0, 0, 0, 1, 1])
})

test('ambiguous and unjoined sessions are logged and served nothing; others go on', async () => {
  const { world, server } = await begin()
  world.attempt({ id: 'a', session: S })
  world.attempt({ id: 'b', session: S, thread: 'T-2', run: 'R-2', providerThread: 'PT-2' })
  world.attempt({ id: 'c', session: 'done', status: 'completed' })
  expect((await server.bash(S, 'git commit', 'toolu_1')).status).toBe(204)
  expect((await server.bash('done', 'git commit', 'toolu_2')).status).toBe(204)
  expect((await server.bash('plain', 'git commit', 'toolu_3')).decision).toBe('deny')
  expect(server.joinings(S)).toEqual(['ambiguous'])
  expect(server.joinings('done')).toEqual(['unjoined'])
  expect(server.joinings('plain')).toEqual(['standalone'])
})

test('a subagent of Claude Code has its own context in the run of its parent', async () => {
  const { world, server } = await begin()
  world.attempt({ id: 'a', session: S })
  await server.prompt(S)
  const agent = { agent_id: 'agent-1', agent_type: 'general-purpose' }
  await server.tell(S, 'SubagentStart', agent)
  expect((await server.bash(S, 'git commit', 'toolu_9', agent)).decision).toBe('deny')
  const rows = server.log(S)
  expect(new Set(rows.map(({ run }) => run))).toEqual(new Set([`R-${S}`]))
  expect(new Set(rows.map(({ context }) => context)).size).toBe(2)
})

test('a subagent of Codex has a session of its own, and works in the run of its parent', async () => {
  const harness = 'codex'
  const { world, server } = await begin()
  world.attempt({ id: 'a', session: S, harness })
  world.providerThread({ id: 'PT-C', session: 'child', thread: 'T-C', harness })
  world.subagent({ id: 'sub', thread: `T-${S}`, run: `R-${S}`, providerThread: 'PT-C', child: 'T-C' })
  const call = { tool_name: 'Bash', tool_input: { command: 'git commit' }, tool_use_id: 'call_1', turn_id: 't1' }
  await server.tell(S, 'PreToolUse', call, harness)
  await server.tell('child', 'PreToolUse', call, harness)
  const rows = server.log()
  expect(rows.map(({ joining, outcome }) => [joining, outcome])).toEqual([
    ['joined', 'denied'],
    ['joined', 'denied'],
  ])
  expect(new Set(rows.map(({ run }) => run))).toEqual(new Set([`R-${S}`]))
  expect(new Set(rows.map(({ context }) => context)).size).toBe(2)
  expect(await server.running.engine.logbook.check()).toEqual([])
})

describe('hosts that come, go and change', () => {
  test('a host that is installed while we run is found; one that is switched off in serving.json is left alone', async () => {
    const home = temporaryBase()
    const server = await BesideServer.start({ home, rules: { commit: COMMIT }, serving: {} })
    await server.prompt(S)
    const world = new World('release', { base: BesideServer.baseIn(home) })
    world.attempt({ id: 'a', session: S })
    await server.prompt(S)
    server.settings({ host: { kind: 'standalone' } })
    await server.prompt(S)
    server.settings({ host: { kind: 't3code' } })
    await server.prompt(S)
    expect(server.joinings(S)).toEqual(['standalone', 'joined', 'standalone', 'joined'])
    expect(server.running.engine.health().hosts).toHaveLength(1)
  })

  test('a base folder of its own, and one that holds no host: health says so', async () => {
    const home = temporaryBase()
    const base = join(home, 'elsewhere')
    const world = new World('fork', { base })
    world.attempt({ id: 'a', session: S })
    const server = await BesideServer.start({ home, serving: { host: { kind: 't3code', base: '~/elsewhere' } } })
    await server.prompt(S)
    expect(server.joinings(S)).toEqual(['joined'])
    server.settings({ host: { kind: 't3code', base: '~/nowhere' } })
    await server.prompt('other')
    expect(server.joinings('other')).toEqual(['standalone'])
    expect(server.problems()).toContain('host_absent')
  })

  test('T3CODE_HOME names a host, too', async () => {
    const home = temporaryBase()
    const world = new World('preview', { base: join(home, 'own') })
    world.attempt({ id: 'a', session: S })
    const server = await BesideServer.start({ home, env: { T3CODE_HOME: join(home, 'own') } })
    await server.prompt(S)
    expect(server.joinings(S)).toEqual(['joined'])
  })

  test('two hosts on one machine: each session goes to the one that knows it', async () => {
    const home = temporaryBase()
    const live = new World('fork', { base: BesideServer.baseIn(home) })
    const dev = new World('fork', { base: BesideServer.baseIn(home), state: 'dev' })
    live.attempt({ id: 'a', session: S })
    dev.attempt({ id: 'b', session: 'dev', status: 'completed' })
    dev.attempt({ id: 'c', session: S, status: 'completed' })
    const server = await BesideServer.start({ home })
    await server.prompt(S)
    await server.prompt('dev')
    await server.prompt('plain')
    expect([S, 'dev', 'plain'].flatMap((session) => server.joinings(session))).toEqual(['joined', 'unjoined', 'standalone'])
    expect(server.running.engine.health().hosts).toHaveLength(2)
  })

  test('one session runs in two hosts: the one whose server runs counts, else it is ambiguous', async () => {
    const home = temporaryBase()
    const live = new World('fork', { base: BesideServer.baseIn(home) })
    const dev = new World('fork', { base: BesideServer.baseIn(home), state: 'dev' })
    live.attempt({ id: 'a', session: S })
    dev.attempt({ id: 'b', session: S, run: 'R-dev' })
    const server = await BesideServer.start({ home })
    await server.prompt(S)
    dev.live()
    await server.prompt(S)
    expect(server.log(S).map(({ joining, run }) => [joining, run])).toEqual([
      ['ambiguous', null],
      ['joined', 'R-dev'],
    ])
  })

  test('the newest database of a folder that has the tables counts; what an older build left there is no problem', async () => {
    const home = temporaryBase()
    const base = BesideServer.baseIn(home)
    const old = new World('preview', { base })
    const current = new World('release', { base })
    old.attempt({ id: 'a', session: S })
    current.attempt({ id: 'b', session: S, run: 'R-new' })
    writeFileSync(join(current.folder, GENERATIONS.fork), '')
    const server = await BesideServer.start({ home })
    await server.prompt(S)
    expect(server.log(S)).toMatchObject([{ joining: 'joined', run: 'R-new' }])
    expect(server.problems()).not.toContain('host_unmapped')
  })

  test('a database that is replaced by another one is read anew', async () => {
    const { home, world, server } = await begin()
    world.attempt({ id: 'a', session: S })
    await server.prompt(S)
    const other = new World('release', { base: join(home, 'other') })
    other.attempt({ id: 'b', session: S, run: 'R-other' })
    other.close()
    world.close()
    for (const part of ['-wal', '-shm']) rmSync(`${world.file}${part}`, { force: true })
    renameSync(other.file, world.file)
    await server.prompt(S)
    expect(server.log(S).map(({ run }) => run)).toEqual([`R-${S}`, 'R-other'])
  })

  test('nothing is written beside a host that does not run, and it is joined as before when it does', async () => {
    const home = temporaryBase()
    const world = new World('release', { base: BesideServer.baseIn(home) })
    world.attempt({ id: 'a', session: S })
    world.close()
    const server = await BesideServer.start({ home })
    await server.prompt(S)
    expect(readdirSync(world.folder)).toEqual([GENERATIONS.release])
    const host = new DatabaseSync(world.file)
    onTestFinished(() => host.close())
    host.exec(`UPDATE orchestration_v2_projection_run_attempts SET status = 'completed'`)
    await server.prompt(S)
    expect(server.joinings(S)).toEqual(['joined', 'unjoined'])
    expect(server.problems()).not.toContain('host_failing')
  })
})

describe('S1: a host that can not be read never stops the serving', () => {
  test.each([
    ['garbage', 'host_failing'],
    ['', 'host_unmapped'],
  ])('a file that holds %j', async (content, problem) => {
    const home = temporaryBase()
    const world = new World('release', { base: BesideServer.baseIn(home) })
    world.close()
    for (const part of ['-wal', '-shm']) rmSync(`${world.file}${part}`, { force: true })
    writeFileSync(world.file, content.repeat(1_000))
    const server = await BesideServer.start({ home, rules: { commit: COMMIT } })
    expect((await server.bash(S, 'git commit', 'toolu_1')).decision).toBe('deny')
    expect(server.problems()).toContain(problem)
    expect(server.joinings(S)).toEqual(['standalone'])
    expect(server.errors).toEqual([])
  })

  test('the server starts with a serving.json that names a bad host', async () => {
    const server = await BesideServer.start({ rules: { commit: COMMIT }, serving: { host: { kind: 't3code', base: '' } } })
    await server.bash(S, 'git commit', 'toolu_1')
    expect(server.problems()).toContain('serving_bad_value')
    expect(server.errors).toEqual([])
  })
})

test('over a restart of the server: the gap of a steering restart is still judged on the last run', async () => {
  const { home, world, server } = await begin()
  world.attempt({ id: 'a1', session: S })
  await server.prompt(S)
  await server.running.close()
  world.attemptIs('a1', 'superseded')
  world.attempt({ id: 'a2', session: S, ordinal: 2, status: 'pending' })
  const again = await BesideServer.start({ home })
  expect((await again.bash(S, 'git commit', 'toolu_1')).decision).toBe('deny')
  expect(again.log(S).map(({ joining, run }) => [joining, run])).toEqual([
    ['joined', `R-${S}`],
    ['unjoined', `R-${S}`],
  ])
})

test('forgetting a thread takes what was served before it was joined with it', async () => {
  const { world, server } = await begin()
  await server.prompt(S)
  world.attempt({ id: 'a', session: S })
  await server.prompt(S)
  await server.prompt('other')
  expect(await server.running.engine.logbook.forget(id<ThreadId>(`T-${S}`))).toBe(true)
  expect(server.log().map(({ session }) => session)).toEqual(['other'])
})

test('a moment that nothing was served at says why in the log', async () => {
  const { world, server } = await begin()
  world.attempt({ id: 'a', session: S, status: 'completed' })
  await server.prompt(S)
  expect(server.log(S)).toMatchObject([{ outcome: 'nothing', why: JOININGS.unjoined, thread: null, run: null }])
})

test('contextmd health has a line for each database of a host', async () => {
  const { world, server } = await begin()
  world.attempt({ id: 'a', session: S })
  await server.prompt(S)
  world.live()
  const { out } = await run(['health'], server.env)
  expect(out).toContain(`host T3 Code: its sessions are joined to their threads and runs (${world.file}, its server runs)`)
})
