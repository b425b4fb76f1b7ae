import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withServer } from '../server/with-server.fixture.ts'
import { run } from './run.fixture.ts'

describe('a person', () => {
  test('switches off and on', async () => {
    const server = await withServer(undefined, { now: () => 1_000 })
    expect(await run(['off'], server.env)).toMatchObject({ code: 0, out: expect.stringContaining('off until you switch it on') })
    const until = new Date(1_801_000).toLocaleString()
    expect(await run(['off', '--for', '30m'], server.env)).toMatchObject({ code: 0, out: expect.stringContaining(until) })
    expect(await run(['health'], server.env)).toMatchObject({ code: 0, out: expect.stringContaining('off until') })
    expect(await run(['on'], server.env)).toMatchObject({ code: 0, out: 'Serving is on.\n' })
    expect(server.told.wishes).toEqual([{ off: null }, { off: 1_801_000 }, { on: true }])
  })

  test('lifts a gate', async () => {
    const server = await withServer()
    expect(await run(['lift', 'rules/commit'], server.env)).toMatchObject({ code: 0, out: 'rules/commit is lifted in 2 contexts.\n' })
    await run(['lift', 'rules/commit', '--thread', 't1'], server.env)
    expect(server.told.wishes).toMatchObject([{ lift: 'rules/commit' }, { lift: 'rules/commit', thread: 't1' }])
  })

  test.each(['rules/comit', 'commit'])('who misspells an entry (%s) is told the right one', async (entry) => {
    const server = await withServer()
    expect(await run(['lift', entry], server.env)).toMatchObject({ code: 1, err: expect.stringContaining('"rules/commit"') })
    expect(server.told.wishes).toEqual([])
  })

  test('is told what stands in the way: a token that the server does not know', async () => {
    const server = await withServer()
    writeFileSync(server.paths.ownToken, 'cmd_other')
    const { code, err } = await run(['on'], server.env)
    expect(code).toBe(1)
    expect(err).toMatch(/^contextmd: The token is not known here\. .* \(request [\w-]{8}\)\n$/)
  })
})

test('health tells state, stores, problems with their cure, and counters; --json all of it', async () => {
  const server = await withServer()
  const { code, out } = await run(['health'], server.env)
  expect(code).toBe(0)
  for (const part of [
    'serving',
    server.address,
    'store rules: 2 entries in /home/dev/rules',
    'warning: a secret place\n  c',
    'moments 3',
  ]) {
    expect(out).toContain(part)
  }
  expect(JSON.parse((await run(['status', '--json'], server.env)).out)).toMatchObject({ state: 'serving', counters: { moments: 3 } })
})

test('health of a disabled server is exit code 1', async () => {
  const server = await withServer()
  const { health } = server.told
  server.told.health = () => ({ ...health(), state: 'disabled' })
  expect(await run(['health'], server.env)).toMatchObject({ code: 1, out: expect.stringContaining('DISABLED') })
})
