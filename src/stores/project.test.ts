import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createProjects, projectOf } from './project.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-project-')))
  made.push(path)
  return path
}

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: tmpdir() }
  const identity = ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...identity, ...args], { cwd, env, stdio: 'pipe' })
}

/** A repository with one commit. */
function repository(at = folder()): string {
  mkdirSync(at, { recursive: true })
  git(at, 'init', '-q')
  git(at, 'commit', '-q', '--allow-empty', '-m', 'First')
  return at
}

test('the nearest git root, from any folder in it', () => {
  const root = repository()
  mkdirSync(join(root, 'src/deep'), { recursive: true })
  expect(projectOf(join(root, 'src/deep'))).toEqual({ root, roots: [root], remotes: [] })
})

test('without git the folder itself', () => {
  const here = folder()
  expect(projectOf(here)).toEqual({ root: here, roots: [here], remotes: [] })
  expect(projectOf(join(here, 'gone/too')).root).toBe(join(here, 'gone/too'))
})

test('a repository inside another is a project of its own, and so is a submodule', () => {
  const outer = repository()
  const inner = repository(join(outer, 'inner'))
  expect(projectOf(inner).root).toBe(inner)
  git(outer, 'submodule', 'add', '-q', repository(), 'sub')
  const sub = join(outer, 'sub')
  expect(projectOf(sub)).toMatchObject({ root: sub, roots: [sub] })
})

describe('R10: a worktree is the same project as its main checkout', () => {
  test('the checkout at hand comes first', () => {
    const main = repository()
    const one = join(folder(), 'one')
    const two = join(folder(), 'two')
    git(main, 'worktree', 'add', '-q', one)
    git(main, 'worktree', 'add', '-q', two)
    mkdirSync(join(one, 'src'))
    expect(projectOf(join(one, 'src'))).toEqual({ root: main, roots: [one, main, two], remotes: [] })
    expect(projectOf(main)).toEqual({ root: main, roots: [main, one, two], remotes: [] })
  })

  test('of a submodule', () => {
    const outer = repository()
    git(outer, 'submodule', 'add', '-q', repository(), 'sub')
    const tree = join(folder(), 'tree')
    git(join(outer, 'sub'), 'worktree', 'add', '-q', tree)
    expect(projectOf(tree)).toMatchObject({ root: join(outer, 'sub'), roots: [tree, join(outer, 'sub')] })
  })

  test('of a bare repository: two worktrees are one project', () => {
    const bare = join(folder(), 'repo.git')
    git(tmpdir(), 'clone', '-q', '--bare', repository(), bare)
    const one = join(folder(), 'one')
    const two = join(folder(), 'two')
    git(bare, 'worktree', 'add', '-q', one)
    git(bare, 'worktree', 'add', '-q', '-b', 'other', two)
    expect(projectOf(one).root).toBe(bare)
    expect(projectOf(two).root).toBe(bare)
    expect(projectOf(two).roots[0]).toBe(two)
  })

  test('with a git folder that lies elsewhere', () => {
    const main = folder()
    git(main, 'init', '-q', '--separate-git-dir', join(folder(), 'git-folder'))
    expect(projectOf(main)).toMatchObject({ root: main, roots: [main] })
  })
})

test('a path through a symlink is the same project', () => {
  const root = repository()
  const link = join(folder(), 'link')
  symlinkSync(root, link)
  expect(projectOf(link).root).toBe(root)
})

test('remotes, without the login that an address may hold', () => {
  const root = repository()
  git(root, 'remote', 'add', 'origin', 'https://dev:secret@example.com/team/app.git')
  git(root, 'remote', 'add', 'fork', 'git@example.com:dev/app.git')
  git(root, 'config', 'branch.main.remote', 'origin')
  expect(projectOf(root).remotes).toEqual(['https://example.com/team/app.git', 'git@example.com:dev/app.git'])
  writeFileSync(join(root, '.git/config'), '[Remote "a b"] URL = "x;y" ; note\n[core]\nurl = no\n')
  expect(projectOf(root).remotes).toEqual(['x;y'])
})

test.each([
  ['a .git file that leads nowhere', (root: string) => writeFileSync(join(root, '.git'), 'gitdir: /nowhere\n')],
  ['a .git file with something else in it', (root: string) => writeFileSync(join(root, '.git'), 'hello')],
  ['an empty .git folder', (root: string) => mkdirSync(join(root, '.git'))],
])('%s is no repository', (_, make) => {
  const outer = repository()
  const root = join(outer, 'inner')
  mkdirSync(root)
  make(root)
  expect(projectOf(root).root).toBe(outer)
})

test('kept answers are checked: init, remotes and worktrees count at once', () => {
  const find = createProjects()
  const root = folder()
  const deep = join(root, 'src')
  mkdirSync(deep)
  expect(find(deep).root).toBe(deep)
  repository(root)
  expect(find(deep).root).toBe(root)
  expect(find(deep)).toBe(find(deep))
  git(root, 'remote', 'add', 'origin', '/srv/app.git')
  expect(find(deep).remotes).toEqual(['/srv/app.git'])
  const tree = join(folder(), 'tree')
  git(root, 'worktree', 'add', '-q', tree)
  expect(find(deep).roots).toEqual([root, tree])
  rmSync(join(root, '.git'), { recursive: true })
  expect(find(deep).root).toBe(deep)
})

describe('kept answers are checked: a path that leads elsewhere counts at once', () => {
  test('by a link to another folder', () => {
    const find = createProjects()
    const [one, other] = [repository(), repository()]
    const link = join(folder(), 'link')
    symlinkSync(one, link)
    expect(find(link).root).toBe(one)
    rmSync(link)
    symlinkSync(other, link)
    expect(find(link).root).toBe(other)
  })

  test('by a link that follows its folder into another repository', () => {
    const find = createProjects()
    const [one, other] = [repository(), repository()]
    mkdirSync(join(one, 'sub'))
    const link = join(folder(), 'link')
    symlinkSync(join(one, 'sub'), link)
    expect(find(link).root).toBe(one)
    renameSync(join(one, 'sub'), join(other, 'sub'))
    rmSync(link)
    symlinkSync(join(other, 'sub'), link)
    expect(find(link).root).toBe(other)
  })

  test('by a project that was moved, with a link left in its place', () => {
    const find = createProjects()
    const home = folder()
    const old = repository(join(home, 'shop'))
    mkdirSync(join(home, 'work'))
    expect(find(old).root).toBe(old)
    renameSync(old, join(home, 'work', 'shop'))
    symlinkSync(join('work', 'shop'), old)
    expect(find(old).root).toBe(join(home, 'work', 'shop'))
  })
})

test('kept answers are checked: a worktree that was moved, and a git folder that becomes one', () => {
  const find = createProjects()
  const main = repository()
  const tree = join(folder(), 'tree')
  git(main, 'worktree', 'add', '-q', tree)
  expect(find(main).roots).toEqual([main, tree])
  const moved = join(folder(), 'moved')
  git(main, 'worktree', 'move', tree, moved)
  expect(find(main).roots).toEqual([main, moved])
  const inner = join(main, 'inner')
  mkdirSync(join(inner, '.git'), { recursive: true })
  expect(find(inner).root).toBe(main)
  writeFileSync(join(inner, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  expect(find(inner).root).toBe(inner)
})
