/** Projects as `scope.projects` and `path` see them, on real folders and repositories, through the command line. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Author } from './authors.fixture.ts'

const scoped = (projects: string) => `---\nwhen: {command: make}\nscope: {projects: ${projects}}\n---\nX.\n`

async function served(at: Author, project: string, ...moment: string[]): Promise<string[]> {
  const flags = moment.length === 0 ? ['--command', 'make'] : moment
  const { out } = await at.run('try', '--json', '--project', join(at.home, project), ...flags)
  return JSON.parse(out).candidates.map(({ entry }: { entry: string }) => entry.replace('rules/', ''))
}

function repository(at: Author, folder: string, remote?: string): void {
  mkdirSync(join(at.home, folder), { recursive: true })
  at.git(folder, 'init', '-q')
  if (remote !== undefined) at.git(folder, 'remote', 'add', 'origin', remote)
}

test('by name, glob, folder, home folder and remote', async () => {
  using at = new Author()
  const scopes = {
    name: 'shop',
    glob: '"sh*"',
    tilde: '~/work',
    remote: 'git@github.com:acme/shop.git',
    https: 'https://github.com/acme/shop',
    owner: '"github.com/acme/*"',
    absolute: join(at.home, 'work/shop'),
    above: join(at.home, 'wo'),
  }
  for (const [name, projects] of Object.entries(scopes)) at.write(`.config/contextmd/rules/${name}.md`, scoped(projects))
  repository(at, 'work/shop', 'https://user:secret@github.com/acme/shop.git')
  repository(at, 'other/blog', 'git@example.org:me/blog.git')
  expect((await served(at, 'work/shop')).toSorted()).toEqual(['absolute', 'glob', 'https', 'name', 'owner', 'remote', 'tilde'])
  expect(await served(at, 'other/blog')).toEqual([])
})

test('a folder of a monorepo is the same project; paths count from its root, wherever the agent stands', async () => {
  using at = new Author({
    name: scoped('mono'),
    web: '---\nwhen: {path: packages/web/**}\n---\nX.\n',
  })
  repository(at, 'mono')
  at.write('mono/packages/web/index.ts', '')
  expect(await served(at, 'mono/packages/web')).toEqual(['name'])
  expect(await served(at, 'mono/packages/web', '--path', 'index.ts')).toEqual(['web'])
  expect(await served(at, 'mono', '--command', 'cat packages/web/index.ts')).toEqual(['web'])
  expect(await served(at, 'mono/packages', '--path', '../index.ts')).toEqual([])
})

test('R10: a worktree is the same project as its main checkout, and its files are those of the project', async () => {
  using at = new Author({ name: scoped('main'), src: '---\nwhen: {path: src/**}\n---\nX.\n' })
  repository(at, 'main')
  at.git('main', 'commit', '-q', '--allow-empty', '-m', 'x')
  at.git('main', 'worktree', 'add', '-q', '../elsewhere')
  expect(await served(at, 'elsewhere')).toEqual(['name'])
  expect(await served(at, 'elsewhere', '--path', 'src/a.ts', '--write')).toEqual(['src'])
})

test('without git the folder itself is the project', async () => {
  using at = new Author({ name: scoped('plain'), src: '---\nwhen: {path: src/**}\n---\nX.\n' })
  mkdirSync(join(at.home, 'plain/src'), { recursive: true })
  expect(await served(at, 'plain')).toEqual(['name'])
  expect(await served(at, 'plain', '--path', 'src/a.ts')).toEqual(['src'])
  expect(await served(at, 'plain/src')).toEqual([])
})

test('out of scope is what why not says', async () => {
  using at = new Author({ name: scoped('shop') })
  mkdirSync(join(at.home, 'blog'))
  const { out } = await at.run('try', '--project', join(at.home, 'blog'), '--command', 'make')
  expect(out).toContain(`rules/name (item 1)  projects: wanted shop, saw ${join(at.home, 'blog')}`)
})
