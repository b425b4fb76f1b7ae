import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pathsFrom } from '../paths.ts'
import { temporaryPaths, withServer } from '../server/with-server.fixture.ts'
import { openSqliteState } from '../state/sqlite/state.ts'
import { run } from './run.fixture.ts'

describe('where a server runs', () => {
  test('it is asked, and what it finds comes with its cure', async () => {
    const { env } = await withServer()
    const { code, out } = await run(['doctor', '--state'], env)
    expect({ code, out }).toEqual({ code: 1, out: 'error: It counts wrong.\n  Move it away.\n' })
    expect(JSON.parse((await run(['doctor', '--state', '--json'], env)).out)).toMatchObject({ check: [{ severity: 'error' }] })
  })

  test('all is well is exit code 0', async () => {
    const server = await withServer()
    server.told.logbook.check = async () => []
    expect(await run(['doctor', '--state'], server.env)).toMatchObject({ code: 0, out: expect.stringContaining('all is well') })
  })
})

describe('where none runs the file itself is looked at', () => {
  const place = () => {
    const data = temporaryPaths().data
    const env = { CONTEXTMD_DATA: data }
    return { env, ...pathsFrom(env) }
  }

  test('one that is well', async () => {
    const { env, state, lock } = place()
    openSqliteState({ file: state, lockFile: lock, now: () => 1_000 }).close()
    expect(await run(['doctor', '--state'], env)).toEqual({ code: 0, out: `${state}: all is well\n`, err: '' })
  })

  test('one that is not there is no error', async () => {
    const { env } = place()
    expect(await run(['doctor', '--state'], env)).toMatchObject({ code: 0, out: expect.stringContaining('contextmd serve') })
  })

  test('one that is broken is an error with its cure', async () => {
    const { env, data, state } = place()
    mkdirSync(data, { recursive: true })
    writeFileSync(state, 'not a database at all, but long enough to look like one: '.repeat(20))
    expect(await run(['doctor', '--state'], env)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/not a database.*\n {2}Move the file/),
    })
  })
})
