import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryBase } from '../host/t3code/world.fixture.ts'
import { run } from './run.fixture.ts'

function begin() {
  const home = temporaryBase()
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data'), PATH: '' }
  mkdirSync(join(home, '.t3', 'userdata'), { recursive: true })
  const instances = {
    claudeAgent: { driver: 'claudeAgent', config: { homePath: '' } },
    usual: { driver: 'claudeAgent', config: { homePath: '~/.claude' } },
    work: { driver: 'claudeAgent', config: { homePath: '~/.claude-work' } },
  }
  writeFileSync(join(home, '.t3', 'userdata', 'settings.json'), JSON.stringify({ providerInstances: instances }))
  const settings = (name: string) => join(home, name, 'settings.json')
  mkdirSync(join(home, '.claude-work'))
  writeFileSync(settings('.claude-work'), '{ "model": "x" }\n')
  return { home, env, settings }
}

test('setup covers each instance of T3 Code with a home of its own, and remove takes it back byte for byte', async () => {
  const { env, settings } = begin()
  const { code, out } = await run(['setup', 'claude-code'], env)
  expect(code).toBe(0)
  expect(out).toContain('instance work of T3 Code')
  expect(out).not.toContain('instance usual')
  for (const name of ['.claude', '.claude-work']) expect(readFileSync(settings(name), 'utf8')).toContain('/contextmd/v1/moment')
  expect((await run(['remove', 'claude-code'], env)).code).toBe(0)
  expect(readFileSync(settings('.claude-work'), 'utf8')).toBe('{ "model": "x" }\n')
  expect(existsSync(settings('.claude'))).toBe(false)
})

test('remove without a name takes the instances back as well', async () => {
  const { env, settings } = begin()
  await run(['setup', 'claude-code'], env)
  expect((await run(['remove', '--yes'], env)).code).toBe(0)
  expect(readFileSync(settings('.claude-work'), 'utf8')).toBe('{ "model": "x" }\n')
  expect(existsSync(settings('.claude'))).toBe(false)
})

test('a trial writes nothing anywhere, and a host that is switched off is left alone', async () => {
  const { env, settings } = begin()
  expect((await run(['setup', 'claude-code', '--dry-run'], env)).out).toContain('instance work of T3 Code')
  expect(readFileSync(settings('.claude-work'), 'utf8')).toBe('{ "model": "x" }\n')
  mkdirSync(join(env.XDG_CONFIG_HOME, 'contextmd'), { recursive: true })
  writeFileSync(join(env.XDG_CONFIG_HOME, 'contextmd', 'serving.json'), '{"stores": [], "host": {"kind": "standalone"}}')
  expect((await run(['setup', 'claude-code'], env)).out).not.toContain('instance work')
})
