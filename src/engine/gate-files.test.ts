import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entry } from '../core/core.fixture.ts'
import { gateFilesOf } from './gate-files.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-files-')))
  for (const name of ['main', 'worktree', 'elsewhere']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'guide.md'), 'First tag, then publish.\n')
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

const noteOf = () => '/notes/0.md'

function filesOf(read: readonly string[]) {
  const project = { root: join(folder, 'main'), roots: [join(folder, 'main'), join(folder, 'worktree')], remotes: [] }
  return gateFilesOf([entry('publish', { mustKnow: true, read, file: join(folder, 'rules', 'publish.md') })], project, { noteOf })
}

test('R10: the same file in another worktree is that file, a copy elsewhere is not', () => {
  const guide = join(folder, 'main', 'guide.md')
  const files = filesOf([guide])
  expect(files.find(guide)).toEqual([guide])
  expect(files.find(join(folder, 'worktree', 'guide.md'))).toEqual([guide])
  expect(files.find(join(folder, 'elsewhere', 'guide.md'))).toEqual([])
  expect(files.find(join(folder, 'worktree', 'docs', 'guide.md'))).toEqual([])
})

test('a file is the same by whatever link it is reached, and however the entry names it', () => {
  const link = join(folder, 'link.md')
  const guide = join(folder, 'elsewhere', 'guide.md')
  symlinkSync(guide, link)
  expect(filesOf([guide]).find(link)).toEqual([guide])
  expect(filesOf([link]).find(guide)).toEqual([link])
})

test("law 7: an entry's own file and its note bear on its gate, and all the files that it names together", () => {
  const reads = [join(folder, 'main', 'guide.md'), join(folder, 'elsewhere', 'guide.md')]
  const files = filesOf(reads)
  const own = [join(folder, 'rules', 'publish.md'), '/notes/0.md']
  for (const path of [...reads, ...own]) expect(files.gatesOf(path)).toMatchObject([{ entry: 'publish', targets: reads, own }])
  expect(files.gatesOf('/notes/1.md')).toEqual([])
})
