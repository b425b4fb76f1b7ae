import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../core/entry.ts'
import type { Subject } from '../match/match.ts'
import { openLiveFolder, READS_A_CALL, SWEEP_EVERY_MS } from './live-folder.ts'
import { entryText, scratch } from './scratch-store.fixture.ts'
import { codes, texts } from './view.fixture.ts'

describe('what is served', () => {
  test('the default store, with subfolders; hidden files and a README are passed over with a note', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    at.write('config/rules/git/b.MD', entryText('B.'))
    at.write('config/rules/README.md', '# About these rules\n')
    at.write('config/rules/.draft.md', entryText('Draft.'))
    at.write('config/rules/.git/c.md', entryText('C.'))
    at.write('config/rules/notes.txt', 'x')
    const stores = at.open()
    const view = stores.current()
    expect(texts(view)).toEqual({ 'rules/a': 'A.', 'rules/git/b': 'B.' })
    expect(view.stores).toEqual([{ name: 'rules', folder: at.rules, entries: 2 }])
    expect(view.problems).toEqual([])
    expect(stores.notes().map(({ code, file }) => [code, file])).toEqual([
      ['entry_passed_over', join(at.rules, '.draft.md')],
      ['entry_passed_over', join(at.rules, 'README.md')],
    ])
  })

  test('S3: an entry with a mistake is told of and never stops another', () => {
    using at = scratch()
    at.write('config/rules/bad.md', entryText('x', 'titel: x'))
    at.write('config/rules/good.md', entryText('Good.'))
    const view = at.open().current()
    expect(texts(view)).toEqual({ 'rules/good': 'Good.' })
    expect(codes(view)).toEqual(['entry_missing_key', 'entry_unknown_key'])
  })

  test('of equal ids the store that is named first wins, and the loser is reported', () => {
    using at = scratch()
    at.write('one/x.md', entryText('First.', 'id: same\nwhen: {prompt: x}'))
    const loser = at.write('two/a.md', entryText('Second.', 'id: same\nwhen: {prompt: x}'))
    at.write('config/serving.json', '{"stores": [{"name": "one", "folder": "~/one"}, {"name": "two", "folder": "../two"}]}')
    const view = at.open().current()
    expect(texts(view)).toEqual({ same: 'First.' })
    expect(view.problems).toMatchObject([{ code: 'entry_shadowed', severity: 'warning', file: loser }])
  })

  test('an entry that the matcher does not take never stops another', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    at.write('config/rules/b.md', entryText('B.'))
    const compile = (entries: readonly Entry[]) => {
      if (entries.some(({ text }) => text === 'A.')) throw new Error('no such thing')
      return { match: () => ({ candidates: [], notAnalysed: null }) }
    }
    const view = at.open({ compile }).current()
    expect(texts(view)).toEqual({ 'rules/b': 'B.' })
    expect(view.problems).toMatchObject([{ code: 'entry_not_compiled', severity: 'error', file: join(at.rules, 'a.md') }])
  })

  test("a project's own store is not served before it is trusted, and that is said", () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    at.write('app/.contextmd/b.md', entryText('B.'))
    const stores = at.open()
    expect(codes(stores.current(join(at.home, 'other')))).toEqual([])
    const view = stores.current(join(at.home, 'app'))
    expect(texts(view)).toEqual({ 'rules/a': 'A.' })
    expect(view.problems).toMatchObject([{ code: 'store_not_trusted', severity: 'info' }])
  })
})

describe('files that can not be entries: each has a problem, and the others are served', () => {
  test.each([
    ['entry_too_large', (path: string) => writeFileSync(path, entryText('x'.repeat(5 * 1024 * 1024)))],
    ['entry_not_utf8', (path: string) => writeFileSync(path, Buffer.from(entryText('Stra\xdfe'), 'latin1'))],
    ['entry_empty', (path: string) => writeFileSync(path, entryText(''))],
    ['entry_symlink_loop', (path: string) => symlinkSync(path, path)],
    ['entry_dead_link', (path: string) => symlinkSync(`${path}.gone`, path)],
    ['entry_not_a_file', (path: string) => execFileSync('mkfifo', [path])],
  ])('%s', (code, make) => {
    using at = scratch()
    at.write('config/rules/good.md', entryText('Good.'))
    const bad = join(at.rules, 'bad.md')
    make(bad)
    const stores = at.open()
    expect(texts(stores.current())).toEqual({ 'rules/good': 'Good.' })
    expect(stores.current().problems).toMatchObject([{ code, severity: 'error', file: bad, cure: expect.stringMatching(/./) }])
    // What was wrong is mended: nothing remains of it.
    unlinkSync(bad)
    writeFileSync(bad, entryText('Mended.'))
    expect(texts(stores.current())).toEqual({ 'rules/good': 'Good.', 'rules/bad': 'Mended.' })
    expect(stores.current().problems).toEqual([])
  })

  test('folders that link to each other are taken once', () => {
    using at = scratch()
    at.write('config/rules/git/a.md', entryText('A.'))
    symlinkSync('..', join(at.rules, 'git', 'up'))
    symlinkSync('git', join(at.rules, 'again'))
    const view = at.open().current()
    expect(view.entries).toHaveLength(1)
    expect(codes(view)).toEqual(['store_folder_seen_twice', 'store_folder_seen_twice'])
  })
})

test('S4: a store with more files than the limit serves those within it and says how many are not', () => {
  using at = scratch()
  for (const name of ['a', 'b', 'c']) at.write(`config/rules/${name}.md`, entryText(name))
  const folder = openLiveFolder({ name: 'rules', folder: at.rules }, { home: at.home, maxFiles: 2 })
  folder.refresh(0)
  expect(folder.files.size).toBe(2)
  expect(folder.problems()).toMatchObject([{ code: 'store_too_many_files', message: expect.stringContaining('1 of them') }])
  // One goes: there is room for the one that waited.
  unlinkSync([...folder.files.keys()][0] ?? '')
  folder.refresh(0)
  expect(folder.files.size).toBe(2)
  expect(folder.problems()).toEqual([])
  folder.close()
})

describe('pointers', () => {
  const subject = (root: string) => ({ project: { root, roots: [root], remotes: [] } }) as unknown as Subject // the wrapper looks at the project only
  const matchAll = (entries: readonly Entry[]) => ({
    match: () => ({ candidates: entries.map((entry) => ({ entry, item: 0 })), notAnalysed: null }),
  })

  test('a file of the project is found where the moment is', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('', 'when: {command: x}\nread: docs/guide.md'))
    const guide = at.write('app/docs/guide.md', 'Guide.')
    const stores = at.open({ compile: matchAll })
    const app = join(at.home, 'app')
    expect(stores.current(app).entries[0]?.read).toEqual([guide])
    expect(stores.current(app).matcher.match(subject(app)).candidates[0]?.entry.read).toEqual([guide])
    // Nothing could ever lift a gate on a file that is not there, and there is no text to send instead.
    expect(stores.current(join(at.home, 'other')).matcher.match(subject(join(at.home, 'other'))).candidates).toEqual([])
  })

  test('a file that goes leaves the text; one that comes is pointed to', () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('Text.', 'when: {command: x}\nread: ./guide.txt'))
    const stores = at.open({ compile: matchAll })
    expect(stores.current().entries[0]?.read).toEqual([])
    expect(codes(stores.current())).toEqual(['entry_read_missing'])
    const guide = at.write('config/rules/guide.txt', 'Guide.')
    expect(stores.current().entries[0]?.read).toEqual([guide])
    unlinkSync(guide)
    expect(stores.current().matcher.match(subject(at.home)).candidates[0]?.entry).toMatchObject({ read: [], text: 'Text.' })
  })
})

describe('a large store', () => {
  test('10,000 entries load, an edit is read alone, and the rest is not read again', () => {
    using at = scratch()
    for (let i = 0; i < 10_000; i++) at.write(`config/rules/${i % 10}/${i}.md`, entryText(`Rule ${i}.`))
    const stores = at.open()
    const before = stores.current()
    expect(before.entries).toHaveLength(10_000)
    // The folder of a new file is looked at in each call, its file read at once.
    at.write('config/rules/new.md', entryText('New.'))
    const after = stores.current()
    expect(after.entries).toHaveLength(10_001)
    const known = new Set(before.entries)
    expect(after.entries.filter((entry) => !known.has(entry))).toMatchObject([{ text: 'New.' }])
  }, 60_000)

  test('a store that is added while serving is read in slices, and the first one is served meanwhile', async () => {
    using at = scratch()
    at.write('config/rules/a.md', entryText('A.'))
    for (let i = 0; i < 2 * READS_A_CALL + 1; i++) at.write(`big/${i}.md`, entryText(`${i}`))
    const stores = at.open()
    writeFileSync(at.serving, `{"stores": [{"name": "rules", "folder": "rules"}, {"name": "big", "folder": "../big"}]}`)
    expect(stores.current().entries).toHaveLength(1 + READS_A_CALL)
    expect(codes(stores.current())).toContain('store_loading')
    await stores.drain()
    expect(stores.current().entries).toHaveLength(2 * READS_A_CALL + 2)
    expect(stores.current().problems).toEqual([])
  })

  test('what no kernel tells is found by the sweep', async () => {
    using at = scratch()
    let now = 1_000_000
    const outside = at.write('outside.txt', entryText('One.'))
    for (let i = 0; i < 150; i++) at.write(`config/rules/${i}.md`, entryText(`${i}`))
    symlinkSync(outside, join(at.rules, 'linked.md'))
    const stores = at.open({ now: () => now })
    stores.current()
    await stores.drain()
    // A file behind a symlink: the folder that is watched says nothing.
    writeFileSync(outside, entryText('Two.'))
    now += SWEEP_EVERY_MS
    stores.current()
    await stores.drain()
    expect(texts(stores.current())['rules/linked']).toBe('Two.')
  })
})

test('a store that is closed answers with its last view', () => {
  using at = scratch()
  at.write('config/rules/a.md', entryText('A.'))
  const stores = at.open()
  stores.close()
  rmSync(at.rules, { recursive: true })
  expect(texts(stores.current())).toEqual({ 'rules/a': 'A.' })
})

test('without any store nothing is served, and that is said', () => {
  using at = scratch()
  rmSync(at.rules, { recursive: true })
  const stores = at.open()
  expect(stores.current()).toMatchObject({ entries: [], problems: [{ code: 'stores_none', severity: 'warning' }] })
  mkdirSync(at.rules)
  at.write('config/rules/a.md', entryText('A.'))
  expect(texts(stores.current())).toEqual({ 'rules/a': 'A.' })
})
