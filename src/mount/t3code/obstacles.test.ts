/** What stands in the way of the engine inside a host: the host starts whatever it is, every call passes, and health says why. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Layer } from 'effect'
import { describe, expect, test } from 'vitest'
import { openHosted, type Hosted } from './hosted.fixture.ts'
import { EnvironmentAuth, hostServices, ServerConfig, startSmallHost } from './small-host.fixture.ts'
import { contextmd } from './stable.ts'
import type { World } from './world.fixture.ts'

const start = (world: World) => startSmallHost(world, contextmd())
const codes = async (hosted: Hosted) => (await hosted.health()).problems.map(({ code }) => code)

async function expectHostServes({ host }: Hosted): Promise<void> {
  expect(await (await fetch(`${host.address}/.well-known/t3/environment`)).json()).toEqual({ environmentId: 'small-host' })
}

describe('S1: the host starts, calls pass, and health says why', () => {
  test.each<[string, string, (world: World) => void]>([
    ['the state is a folder', 'state_unwritable', ({ stateDir }) => mkdirSync(join(stateDir, 'contextmd.sqlite'))],
    ['the state is damaged', 'state_corrupt', ({ stateDir }) => writeFileSync(join(stateDir, 'contextmd.sqlite'), 'x'.repeat(8_192))],
    ['the state is of a newer version', 'state_newer', newerState],
  ])('%s: %s', async (_, code, prepare) => {
    const hosted = await openHosted(start, prepare)
    await expectHostServes(hosted)
    expect((await hosted.commit('S-JOIN', 'toolu_a')).status).toBe(204)
    expect(await hosted.health()).toMatchObject({ state: 'disabled' })
    expect(await codes(hosted)).toContain(code)
  })

  test('the state folder can not be made', async () => {
    const services = (world: World) =>
      Layer.merge(hostServices(world), Layer.succeed(ServerConfig)({ stateDir: join(world.database, 'userdata'), port: 1 }))
    const hosted = await openHosted((world) => startSmallHost(world, contextmd(), services(world)))
    await expectHostServes(hosted)
    expect((await hosted.commit('S-JOIN', 'toolu_a')).status).toBe(204)
    expect(await codes(hosted)).toContain('state_unwritable')
  })

  test('another server has the state: disabled, and what it has is left alone', async () => {
    const first = await openHosted(start)
    await first.commit('S-JOIN', 'toolu_a')
    const second = await startSmallHost(first.world, contextmd())
    const health = `${second.address}/contextmd/v1/health`
    expect(await (await fetch(health)).json()).toEqual({ state: 'disabled' })
    const told = await (await fetch(health, { headers: { authorization: 'Bearer t3_person' } })).json()
    expect(told).toMatchObject({ state: 'disabled', problems: [{ code: 'state_taken' }] })
    expect((await fetch(health, { headers: { authorization: 'Bearer t3_nobody' } })).status).toBe(401)
    expect((await fetch(health, { headers: { authorization: 'Bearer t3_scopeless' } })).status).toBe(403)
    await second.close()
    expect((await first.commit('S-JOIN', 'toolu_b')).isDenied).toBe(true)
  })

  test('serving.json is broken: the rest is served, and health names the file', async () => {
    const hosted = await openHosted(start, ({ rules }) => writeFileSync(join(rules, '..', 'serving.json'), '{ "stores": '))
    await expectHostServes(hosted)
    expect((await hosted.health()).state).toBe('serving')
    expect((await codes(hosted)).some((code) => code.startsWith('serving_'))).toBe(true)
  })

  test('S3: an entry with a mistake is told with its file, and the others are served', async () => {
    const hosted = await openHosted(start, ({ rules }) =>
      writeFileSync(join(rules, 'typo.md'), '---\ntitle: T\nwhn:\n  - prompt: x\n---\nText.\n'),
    )
    expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
    const mistake = { code: 'entry_unknown_key', file: join(hosted.world.rules, 'typo.md'), line: 3 }
    expect((await hosted.health()).problems).toContainEqual(expect.objectContaining(mistake))
  })

  test.each<[string, string, (world: World) => Parameters<typeof startSmallHost>[2]]>([
    [
      'no auth',
      'host_auth_missing',
      (world) => Layer.merge(hostServices(world), Layer.succeed(EnvironmentAuth)({} as EnvironmentAuth['Service'])),
    ],
    [
      'no state folder',
      'host_config_missing',
      (world) => Layer.merge(hostServices(world), Layer.succeed(ServerConfig)({ port: 1 } as ServerConfig['Service'])),
    ],
  ])('the host gives %s', async (_, code, services) => {
    const hosted = await openHosted((world) => startSmallHost(world, contextmd(), services(world)))
    await expectHostServes(hosted)
    expect((await hosted.commit('S-JOIN', 'toolu_a')).status).toBe(204)
    expect(await codes(hosted)).toEqual([code])
  })

  test('the host names its services otherwise, and hands them over', async () => {
    const tags = { auth: EnvironmentAuth, config: ServerConfig }
    const hosted = await openHosted((world) => startSmallHost(world, contextmd(tags)))
    expect((await hosted.commit('S-JOIN', 'toolu_a')).isDenied).toBe(true)
  })

  test('the host is of the first generation, without the tables: its sessions are not served, and health names the table', async () => {
    const hosted = await openHosted(start, ({ writer }) => writer.exec('DROP TABLE orchestration_v2_projection_run_attempts'))
    expect((await hosted.commit('S-JOIN', 'toolu_a')).status).toBe(204)
    const { problems } = await hosted.health()
    expect(problems.some(({ message }) => message.includes('orchestration_v2_projection_run_attempts'))).toBe(true)
  })
})

/** Of a version that nobody has written yet. */
function newerState({ stateDir }: World): void {
  const database = new DatabaseSync(join(stateDir, 'contextmd.sqlite'))
  database.exec('CREATE TABLE t (a); PRAGMA user_version = 99999')
  database.close()
}

test('the state lies beside the host and is free again once the host is closed', async () => {
  const hosted = await openHosted(start)
  await hosted.commit('S-JOIN', 'toolu_a')
  expect(readFileSync(join(hosted.world.stateDir, 'contextmd.sqlite')).byteLength).toBeGreaterThan(0)
  await hosted.host.close()
  const again = await startSmallHost(hosted.world, contextmd())
  const health = await (await fetch(`${again.address}/contextmd/v1/health`)).json()
  await again.close()
  expect(health).toEqual({ state: 'serving' })
})
