import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { homeFrom, pathsFrom } from './paths.ts'

/** What Node's own functions see: those of the process, whatever is handed over. */
function ownHome(home: string): void {
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
}

test('they are where the variables say, else below the home', () => {
  const home = pathsFrom({ HOME: '/home/dev' })
  expect([home.config, home.data, home.serving]).toEqual([
    '/home/dev/.config/contextmd',
    '/home/dev/.local/share/contextmd',
    '/home/dev/.config/contextmd/serving.json',
  ])
  const moved = pathsFrom({ HOME: '/home/dev', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' })
  expect([moved.config, moved.data]).toEqual(['/c/contextmd', '/d/contextmd'])
  expect(pathsFrom({ HOME: '/home/dev', XDG_DATA_HOME: '/d', CONTEXTMD_DATA: '/e' }).data).toBe('/e')
})

test.each(['', 'here', './here'])('HOME=%j is no home: the one that the system knows is taken, and no folder is a relative one', (home) => {
  ownHome(home)
  const own = userInfo().homedir
  expect(homeFrom({ HOME: home })).toBe(own)
  const { config, data } = pathsFrom({ HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, CONTEXTMD_DATA: '' })
  expect([config, data]).toEqual([join(own, '.config', 'contextmd'), join(own, '.local', 'share', 'contextmd')])
})

test('whatever the variables hold, every path is a whole one', () => {
  ownHome('')
  const text = fc.oneof(fc.constantFrom('', '.', '..', '~', 'a/b', '/a', '/'), fc.string())
  const names = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'CONTEXTMD_DATA', 'CONTEXTMD_SERVING_CONFIG']
  const env = fc.dictionary(fc.constantFrom(...names), text)
  fc.assert(
    fc.property(env, (given) => {
      expect(Object.values(pathsFrom(given)).filter((path) => !isAbsolute(path))).toEqual([])
    }),
  )
})
