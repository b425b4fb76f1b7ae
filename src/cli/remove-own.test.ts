import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryBase } from '../host/t3code/world.fixture.ts'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import { deleteData } from './remove-files.ts'
import { run } from './run.fixture.ts'

function begin(more: NodeJS.ProcessEnv = {}) {
  const home = temporaryBase()
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    PATH: '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    CONTEXTMD_DATA: join(home, 'data'),
    ...more,
  }
  const paths = pathsFrom(env)
  const states = () => openTokens(paths.tokens, { now: () => Date.now() }).list()
  return { home, env, paths, isRevoked: () => states().every(({ revokedAt }) => revokedAt !== null) }
}

describe('S10: remove deletes nothing of the person', () => {
  test('a data folder that holds files of theirs keeps them, and they are named', async () => {
    const { env, paths } = begin()
    await run(['setup', 'claude-code'], env)
    mkdirSync(join(paths.notes, '0123456789ac.md'), { recursive: true })
    for (const name of ['diary.md', '0123456789ab.md', '0123456789ab.md.new']) writeFileSync(join(paths.notes, name), 'x')
    const theirs = ['thesis.tex', 'tokens.json.orig', 'my-own-token', 'contextmd.sqlite.bak']
    for (const name of theirs) writeFileSync(join(paths.data, name), 'x')

    const { code, out } = await run(['remove'], env)
    expect(code).toBe(0)
    expect(readdirSync(paths.notes).toSorted()).toEqual(['0123456789ac.md', 'diary.md'])
    expect(out).toMatch(/Not ours, so left in .*notes: .*diary\.md/)
    const all = await run(['remove', '--data', '--yes'], env)
    expect(all.code).toBe(0)
    expect(readdirSync(paths.data).toSorted()).toEqual([...theirs, 'notes'].toSorted())
    expect(all.out).toMatch(/Not ours, so left there: .*thesis\.tex/)
    expect(all.out).not.toContain(`${paths.data} is deleted`)
  })

  test('all of ours goes, with what a crash left, and then the folder', () => {
    const { paths } = begin()
    mkdirSync(paths.hooks, { recursive: true })
    const names = [
      'contextmd.sqlite',
      'contextmd.sqlite-wal',
      'contextmd.sqlite-shm',
      'server.lock',
      'server.lock-journal',
      'start.lock',
      'tokens.json',
      'tokens.json.lock',
      'tokens.json.next',
      'trust.json',
      'trust.json.12.next',
      'own-token',
      'own-token.12',
      'server.json',
      'server.json.12',
      'server.key',
      'server.key.12',
      'server.log',
      'server.log.1',
      'setup.json',
      'setup.json.12',
      'setup-opencode.json',
      'setup-opencode.json.12.contextmd',
    ]
    for (const name of names) writeFileSync(join(paths.data, name), 'x')
    for (const name of ['.contextmd-hook.sh.12', '.contextmd-hook.cjs.12', '.codex.header.12', 'opencode.header.12.contextmd'])
      writeFileSync(join(paths.hooks, name), 'x')
    expect(deleteData(paths)).toEqual({ count: names.length, left: [], isGone: true })
    expect(existsSync(paths.data)).toBe(false)
  })
})

describe('S10: remove leaves no dead hooks', () => {
  test.each([[[]], [['claude-code']]])('the home of an instance that T3 Code has no more is taken back by remove %j', async (names) => {
    const { home, env, paths, isRevoked } = begin()
    const settings = join(home, '.t3', 'userdata', 'settings.json')
    const work = join(home, 'work-claude', 'settings.json')
    mkdirSync(join(home, '.t3', 'userdata'), { recursive: true })
    mkdirSync(join(home, 'work-claude'))
    writeFileSync(work, '{"model": "x"}')
    writeFileSync(settings, '{"providerInstances": {"work": {"driver": "claudeAgent", "config": {"homePath": "~/work-claude"}}}}')
    await run(['setup', 'claude-code'], env)
    expect(readFileSync(work, 'utf8')).toContain('contextmd')
    writeFileSync(settings, '{"providerInstances": {}}')
    expect((await run(['remove', ...names], env)).code).toBe(0)
    expect(readFileSync(work, 'utf8')).toBe('{"model": "x"}')
    expect(existsSync(paths.hooks)).toBe(false)
    expect(isRevoked()).toBe(true)
  })

  test.each([
    ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json', false],
    ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json', true],
    ['codex', 'CODEX_HOME', 'hooks.json', false],
    ['codex', 'CODEX_HOME', 'hooks.json', true],
    ['grok', 'GROK_HOME', 'hooks/contextmd.json', false],
    ['grok', 'GROK_HOME', 'hooks/contextmd.json', true],
    ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugin/contextmd.js', false],
    ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugin/contextmd.js', true],
  ])('a setup of %s made under another %s is taken back (%s, by name: %j)', async (harness, variable, file, isNamed) => {
    const { home, env, paths, isRevoked } = begin()
    const other = join(home, 'other')
    mkdirSync(other)
    await run(['setup', harness, '--yes'], env)
    await run(['setup', harness, '--yes'], { ...env, [variable]: other })
    expect(existsSync(join(other, file))).toBe(true)
    expect((await run(['remove', ...(isNamed ? [harness] : [])], env)).code).toBe(0)
    expect(existsSync(join(other, file))).toBe(false)
    expect(existsSync(paths.hooks)).toBe(false)
    expect(isRevoked()).toBe(true)
  })

  test('hooks that can`t be taken back keep their scripts, their token and the data, are named, and it ends with 1', async () => {
    const { home, env, paths, isRevoked } = begin()
    const file = join(home, '.claude', 'settings.json')
    await run(['setup', 'claude-code'], env)
    await run(['setup', 'grok'], env)
    const written = readFileSync(file, 'utf8')
    writeFileSync(file, `${written} broken`)
    for (const argv of [['remove'], ['remove', '--data', '--yes']]) {
      const { code, out } = await run(argv, env)
      expect(code).toBe(1)
      expect(out).toContain(`Still set up in ${file}`)
      expect(out).not.toContain('is deleted: state')
      expect(existsSync(join(paths.hooks, 'claude-code.header'))).toBe(true)
      expect(existsSync(join(paths.hooks, 'contextmd-hook.sh'))).toBe(true)
      expect(existsSync(join(paths.hooks, 'grok.header'))).toBe(false)
      expect(isRevoked()).toBe(false)
    }
    writeFileSync(file, written)
    expect((await run(['remove', '--data', '--yes'], env)).code).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(existsSync(paths.data)).toBe(false)
  })
})
