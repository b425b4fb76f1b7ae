import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOurHook } from '../install/hook.ts'
import {
  project,
  settings,
  paths,
  environment,
  setup,
  setupIn,
  takeBack,
  give,
  read,
  hooksOf,
  tokensOf,
  tokens,
  everything,
} from './setup.fixture.ts'

describe('a project', () => {
  const local = () => join(project, '.claude', 'settings.local.json')
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { env: environment(), encoding: 'utf8' })

  test('is set up in its own local settings, at its root, and the token stays out of commits', () => {
    git('init', '-q')
    const folder = join(project, 'src', 'deep')
    mkdirSync(folder, { recursive: true })
    const output = setupIn(folder, '--scope', 'project')
    expect(hooksOf(local()).every(isOurHook)).toBe(true)
    expect(existsSync(settings)).toBe(false)
    expect(output).toContain(join('.git', 'info', 'exclude'))
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('')
    const exclude = read(join(project, '.git', 'info', 'exclude'))
    setup('--scope', 'project')
    expect(read(join(project, '.git', 'info', 'exclude'))).toBe(exclude)
  })

  test('S10: removing takes the line out of git’s exclude file again, and the folder that was made', () => {
    git('init', '-q')
    const exclude = join(project, '.git', 'info', 'exclude')
    for (const before of [read(exclude), '', 'a\nb', 'a\n']) {
      writeFileSync(exclude, before)
      setup('--scope', 'project')
      expect(read(exclude)).toContain('settings.local.json*')
      takeBack('--scope', 'project')
      expect(read(exclude).trimEnd()).toBe(before.trimEnd())
      expect(existsSync(dirname(local()))).toBe(false)
    }
  })

  test('settings that git ignores already need no line', () => {
    git('init', '-q')
    writeFileSync(join(project, '.gitignore'), '.claude/\n')
    const before = read(join(project, '.git', 'info', 'exclude'))
    setup('--scope', 'project')
    expect(read(join(project, '.git', 'info', 'exclude'))).toBe(before)
  })

  test('settings that git commits get no token', () => {
    git('init', '-q')
    give('{}', local())
    git('add', '-f', local())
    const before = everything()
    expect(() => setup('--scope', 'project')).toThrow(/--transport command/)
    expect(everything()).toEqual(before)
    setup('--scope', 'project', '--transport', 'command')
    expect(read(local())).not.toContain('Bearer')
  })

  test('S17: both scopes have the same address and the same good token; the person is told', () => {
    setup()
    const output = setup('--scope', 'project')
    expect(tokensOf(local())).toEqual(tokensOf())
    expect(output).toContain(`Also set up in ${settings}: where both count, Claude Code runs the hooks once.`)
    expect(setup('--scope', 'project', '--port', '5000')).toContain('both will run')
    setup('--scope', 'project', '--port', '4517')

    for (const { id } of tokens().list()) tokens().revoke(id)
    expect(setup('--scope', 'project')).toContain(`${settings} holds an older token`)
    expect(setup()).not.toContain('older')
    expect(tokensOf(local())).toEqual(tokensOf())
  })

  test('removing one scope leaves the other working', () => {
    setup()
    setup('--scope', 'project')
    expect(takeBack()).toContain(`Still set up in ${local()}`)
    expect(tokens().check(tokensOf(local())[0] ?? '', 'orchestration:read')).toBe('ok')
    expect(existsSync(paths().hooks)).toBe(true)
  })
})
