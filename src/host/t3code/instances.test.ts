import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homesIn, instanceHomes } from './instances.ts'
import { temporaryBase } from './world.fixture.ts'

test('instances with a home of their own, by name, by setting or by variable', () => {
  const settings = {
    providerInstances: {
      claudeAgent: { driver: 'claudeAgent', config: { homePath: '' } },
      work: { driver: 'claudeAgent', config: { homePath: '~/.claude-work' } },
      second: { driver: 'codex', config: { homePath: '/home/dev/codex', shadowHomePath: '~/.codex-t3/second' } },
      third: { driver: 'codex', environment: [{ name: 'CODEX_HOME', value: '/home/dev/third', sensitive: false }], config: {} },
      off: { driver: 'codex', enabled: false, config: { homePath: '/home/dev/off' } },
      shadow: { driver: 'codex', config: { homePath: '', shadowHomePath: '~/.codex-t3/shadow' } },
      other: { driver: 'cursor', config: { homePath: '/home/dev/cursor' } },
      code: { driver: 'opencode', config: { homePath: '/home/dev/opencode' } },
    },
    providers: { codex: { homePath: '/home/dev/older' }, claudeAgent: {} },
  }
  expect(homesIn(settings)).toEqual([
    { harness: 'claude-code', instance: 'work', home: '~/.claude-work' },
    { harness: 'codex', instance: 'second', home: '/home/dev/codex' },
    { harness: 'codex', instance: 'third', home: '/home/dev/third' },
    { harness: 'codex', instance: 'codex', home: '/home/dev/older' },
  ])
  const list = [{ id: 'work', driver: 'claudeAgent', config: { homePath: '/h' } }]
  expect(homesIn({ providerInstances: list })).toEqual([{ harness: 'claude-code', instance: 'work', home: '/h' }])
})

test.each([
  null,
  [],
  'x',
  1,
  {},
  { providerInstances: null },
  { providerInstances: [null, 1, 'x'], providers: [] },
  { providers: { codex: null } },
])('%j has none', (settings) => {
  expect(homesIn(settings)).toEqual([])
})

test('no file, and one that is no JSON', () => {
  const base = temporaryBase()
  expect(instanceHomes(base)).toEqual([])
  writeFileSync(join(base, 'settings.json'), '{')
  expect(instanceHomes(base)).toEqual([])
})
