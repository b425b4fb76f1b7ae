import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { realPathOf, realPlaceOf, type RealPlace } from './real-path.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-real-')))
mkdirSync(join(root, 'folder'))
writeFileSync(join(root, 'folder', 'file'), '')
symlinkSync(join(root, 'folder'), join(root, 'link'))
symlinkSync(join(root, 'nowhere'), join(root, 'dead'))
symlinkSync(join(root, 'loop'), join(root, 'loop'))
symlinkSync(join(root, 'link'), join(root, 'twice'))
afterAll(() => rmSync(root, { recursive: true }))

test.each([
  ['folder/file', 'folder/file'],
  ['link/file', 'folder/file'],
  ['link/../folder/./file', 'folder/file'],
  ['link/new/file', 'folder/new/file'],
  ['twice/file', 'folder/file'],
  ['twice/new/file', 'folder/new/file'],
  ['new/a/b', 'new/a/b'],
  ['folder/file/below', 'folder/file/below'],
  ['dead', 'dead'],
  ['dead/a', 'dead/a'],
  ['loop/a', 'loop/a'],
  ['', ''],
])('%s', (path, real) => {
  expect(realPathOf(join(root, path))).toBe(join(root, real))
  expect(stepByStep(join(root, path))).toBe(join(root, real))
})

const remembered = new Map<string, RealPlace>()

/** Folders that were asked for before are not looked at again. */
function stepByStep(path: string): string {
  const placeOf = (at: string): RealPlace => {
    const known = remembered.get(at) ?? realPlaceOf(at, placeOf)
    remembered.set(at, known)
    return known
  }
  return placeOf(resolve(path)).path
}

test('what no file system takes stays as it is', () => {
  const long = join(root, 'x'.repeat(5_000), 'y')
  expect(realPathOf(long)).toBe(long)
  expect(realPathOf(`${root}/a\0b`)).toBe(`${root}/a\0b`)
  expect(realPathOf('/')).toBe('/')
  expect(stepByStep(long)).toBe(long)
  expect(stepByStep(`${root}/a\0b`)).toBe(`${root}/a\0b`)
  expect(stepByStep('/')).toBe('/')
})
