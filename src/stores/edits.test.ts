import { renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HALF_SAVED_MS } from './held-file.ts'
import { entryText, scratch } from './scratch-store.fixture.ts'
import { codes, texts } from './view.fixture.ts'

describe('edits', () => {
  test('a change, a new file, a deletion, a rename and a new folder count at the next call', () => {
    using at = scratch()
    const file = at.write('config/rules/a.md', entryText('One.'))
    const stores = at.open()
    const { version } = stores.current()
    expect(stores.current().version).toBe(version)

    writeFileSync(file, entryText('Two.'))
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Two.' })
    expect(stores.current().version).toBeGreaterThan(version)

    at.write('config/rules/deep/er/b.md', entryText('B.'))
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Two.', 'rules/deep/er/b': 'B.' })

    renameSync(file, join(at.rules, 'deep', 'c.md'))
    expect(texts(stores.current())).toEqual({ 'rules/deep/c': 'Two.', 'rules/deep/er/b': 'B.' })

    writeFileSync(join(at.home, 'new'), entryText('Three.'))
    renameSync(join(at.home, 'new'), join(at.rules, 'deep', 'c.md'))
    expect(texts(stores.current())['rules/deep/c']).toBe('Three.')

    rmSync(join(at.rules, 'deep'), { recursive: true })
    expect(texts(stores.current())).toEqual({})
  })

  test('an edit that keeps size and times counts too', () => {
    using at = scratch()
    const file = at.write('config/rules/a.md', entryText('One.'))
    const stores = at.open()
    utimesSync(file, 1_000, 1_000)
    stores.current()
    writeFileSync(file, entryText('Two.'))
    utimesSync(file, 1_000, 1_000)
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Two.' })
  })

  test('a file behind a symlink, and a link that is pointed elsewhere', () => {
    using at = scratch()
    const one = at.write('one.txt', entryText('One.'))
    const two = at.write('two.txt', entryText('Two.'))
    const link = join(at.rules, 'a.md')
    symlinkSync(one, link)
    const stores = at.open()
    expect(texts(stores.current())).toEqual({ 'rules/a': 'One.' })
    writeFileSync(one, entryText('Other.'))
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Other.' })
    unlinkSync(link)
    symlinkSync(two, link)
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Two.' })
  })

  test('the folder itself goes, comes back, and becomes a file', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    at.write('config/serving.json', '{"stores": [{"name": "rules", "folder": "rules"}]}')
    const stores = at.open()
    rmSync(at.rules, { recursive: true })
    expect(texts(stores.current())).toEqual({})
    expect(stores.current().problems).toMatchObject([{ code: 'store_folder_missing' }])
    at.write('config/rules/a.md', entryText('Again.'))
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Again.' })
    expect(stores.current().problems).toEqual([])
    rmSync(at.rules, { recursive: true })
    writeFileSync(at.rules, 'x')
    expect(texts(stores.current())).toEqual({})
    expect(stores.current().problems).toMatchObject([{ code: 'store_not_a_folder' }])
  })

  test('an entry that did not change is the same object as before', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    const b = at.write('config/rules/b.md', entryText('B.'))
    const stores = at.open()
    const [before] = stores.current().entries
    writeFileSync(b, entryText('Other.'))
    expect(stores.current().entries[0]).toBe(before)
  })
})

describe('a save that is half done', () => {
  test('a file that broke keeps its last good form for half a second', () => {
    using at = scratch()
    let now = 1_000_000
    const file = at.write('config/rules/a.md', entryText('Good.'))
    const stores = at.open({ now: () => now })
    for (const half of ['', '---\nwhen:', entryText('', 'when: {prompt: x}')]) {
      writeFileSync(file, half)
      expect(texts(stores.current())).toEqual({ 'rules/a': 'Good.' })
    }
    expect(stores.current().problems).toEqual([])
    now += HALF_SAVED_MS - 1
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Good.' })
    now += 1
    expect(texts(stores.current())).toEqual({})
    expect(codes(stores.current())).toEqual(['entry_empty'])
    writeFileSync(file, entryText('Mended.'))
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Mended.' })
    expect(stores.current().problems).toEqual([])
  })

  test('a file that was moved aside counts as there, a deleted one does not', () => {
    using at = scratch()
    let now = 1_000_000
    const file = at.write('config/rules/a.md', entryText('Good.'))
    const stores = at.open({ now: () => now })
    renameSync(file, `${file}~`)
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Good.' })
    now += HALF_SAVED_MS
    expect(texts(stores.current())).toEqual({})
    renameSync(`${file}~`, file)
    expect(texts(stores.current())).toEqual({ 'rules/a': 'Good.' })
    unlinkSync(file)
    expect(texts(stores.current())).toEqual({})
  })

  test('an entry that is switched off goes at once', () => {
    using at = scratch()
    const file = at.write('config/rules/a.md', entryText('Good.'))
    const stores = at.open()
    writeFileSync(file, entryText('Good.', 'when: {prompt: x}\nenabled: false'))
    expect(texts(stores.current())).toEqual({})
  })
})
