import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findDatabases, hasServerCrashed, hostBases, isSameFolder, isServerLive } from './discover.ts'
import { temporaryBase } from './world.fixture.ts'

function put(base: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(base, path, '..'), { recursive: true })
    writeFileSync(join(base, path), '')
  }
}

describe('base folders', () => {
  test.each<[string, string | null, NodeJS.ProcessEnv, string[]]>([
    ['the usual one', null, {}, ['/home/dev/.t3']],
    ['T3CODE_HOME first', null, { T3CODE_HOME: '/home/dev/t3' }, ['/home/dev/t3', '/home/dev/.t3']],
    ['T3CODE_HOME that is empty, or the usual one', null, { T3CODE_HOME: '' }, ['/home/dev/.t3']],
    ['the same twice is once', null, { T3CODE_HOME: '~/.t3' }, ['/home/dev/.t3']],
    ['a named one alone', '~/other', { T3CODE_HOME: '/home/dev/t3' }, ['/home/dev/other']],
    ['a relative one, from home', 'other', {}, ['/home/dev/other']],
  ])('%s', (_, named, env, expected) => {
    expect(hostBases(named, env, '/home/dev')).toEqual(expected)
  })
})

describe('databases', () => {
  test('a state folder that two paths lead to is one host', () => {
    const base = temporaryBase()
    put(base, 'real/userdata/statev2.sqlite')
    const [real, link] = [join(base, 'real'), join(base, 'link')]
    symlinkSync(real, link)
    symlinkSync(join(real, 'userdata'), join(real, 'dev'))
    expect(findDatabases([link, real]).map(({ path }) => path)).toEqual([join(link, 'userdata', 'statev2.sqlite')])
    expect([isSameFolder(link, real), isSameFolder(real, base)]).toEqual([true, false])
    // what is not there is compared by where it would be
    expect(isSameFolder(join(link, 'new'), join(real, 'new'))).toBe(true)
  })

  test('the newest build first, of each state folder', () => {
    const base = temporaryBase()
    put(
      base,
      'userdata/state.sqlite',
      'userdata/chromeria-v2.sqlite',
      'userdata/statev2.sqlite',
      'dev/statev2.sqlite',
      'userdata/other.sqlite',
    )
    expect(findDatabases([base]).map(({ path }) => path.slice(base.length + 1))).toEqual([
      'userdata/chromeria-v2.sqlite',
      'userdata/statev2.sqlite',
      'userdata/state.sqlite',
      'dev/statev2.sqlite',
    ])
  })

  test('no base, a base that is a file, a folder in place of a database, a folder that may not be entered', () => {
    const base = temporaryBase()
    put(base, 'file', 'closed/userdata/state.sqlite')
    mkdirSync(join(base, 'odd', 'userdata', 'state.sqlite'), { recursive: true })
    chmodSync(join(base, 'closed'), 0o000)
    expect(findDatabases([join(base, 'none'), join(base, 'file'), join(base, 'odd')])).toEqual([])
    expect(() => findDatabases([join(base, 'closed')])).not.toThrow()
    chmodSync(join(base, 'closed'), 0o700)
  })

  test('through a symlink', () => {
    const base = temporaryBase()
    put(base, 'real/userdata/state.sqlite')
    symlinkSync(join(base, 'real'), join(base, 'link'))
    expect(findDatabases([join(base, 'link')])).toHaveLength(1)
  })
})

describe('whether the server runs', () => {
  const said = (runtime: string | null) => {
    const base = temporaryBase()
    if (runtime !== null) writeFileSync(join(base, 'server-runtime.json'), runtime)
    return { isLive: isServerLive(base), hasCrashed: hasServerCrashed(base) }
  }

  test('by the process that the file names', () => {
    expect(said(JSON.stringify({ pid: process.pid, port: 3773 }))).toEqual({ isLive: true, hasCrashed: false })
    // larger than any process id of a kernel
    expect(said(JSON.stringify({ pid: 2 ** 30, port: 3773 }))).toEqual({ isLive: false, hasCrashed: true })
  })

  test.each([null, '', 'x', '{}', '[]', 'null', '{"pid":"1"}', '{"pid":1.5}', '{"pid":0}', '{"pid":-1}'])(
    '%j is no server, and none that crashed',
    (runtime) => {
      expect(said(runtime)).toEqual({ isLive: false, hasCrashed: false })
    },
  )
})
