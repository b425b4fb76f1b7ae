import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compile } from '../match/compile.ts'
import { beforeTool } from '../match/subject.fixture.ts'
import { entryText, scratch, type Scratch } from './scratch-store.fixture.ts'
import { changeTrust } from './trust.ts'

function place(at: Scratch) {
  const root = join(at.home, 'app')
  const trust = join(at.home, 'data', 'trust.json')
  const store = (name: string, text: string) => at.write(`app/.contextmd/${name}`, text)
  const pin = (follow: boolean, ...names: readonly string[]) => {
    const entries = names.map(
      (name) =>
        [
          name,
          createHash('sha256')
            .update(readFileSync(join(root, '.contextmd', name)))
            .digest('base64'),
        ] as const,
    )
    changeTrust(trust, (before) => new Map([...before, [root, { follow, entries: new Map(entries) }]]))
  }
  mkdirSync(root)
  const stores = at.open({ paths: { serving: at.serving, config: join(at.home, 'config'), trust }, compile })
  const ids = () => stores.current(root).entries.map(({ id }) => id)
  const codes = () => stores.current(root).problems.map(({ code }) => code)
  return { root, store, pin, stores, ids, codes }
}

const rule = (text: string) => entryText(text, 'when: {command: make}')

test('nothing of a store that the project brings is served before it is trusted', () => {
  using at = scratch()
  const { store, ids, codes, stores, root } = place(at)
  store('a.md', rule('Obey.'))
  expect(ids()).toEqual([])
  expect(codes()).toContain('store_not_trusted')
  expect(stores.current(root).problems.find(({ code }) => code === 'store_not_trusted')?.cure).toContain(`contextmd trust ${root}`)
})

test('what was seen is served; what is changed or added waits, and its neighbours are served all the same', () => {
  using at = scratch()
  const { store, pin, ids, codes, stores, root } = place(at)
  store('a.md', rule('A.'))
  store('b.md', rule('B.'))
  pin(false, 'a.md', 'b.md')
  expect(ids()).toEqual(['app/a', 'app/b'])
  expect(codes()).not.toContain('store_entries_wait')

  store('b.md', rule('B, but worse.'))
  store('sub/c.md', rule('C.'))
  expect(ids()).toEqual(['app/a'])
  const waiting = stores.current(root).problems.find(({ code }) => code === 'store_entries_wait')
  expect(waiting).toMatchObject({ severity: 'warning', message: expect.stringContaining('b.md, sub/c.md') })

  store('b.md', rule('B.'))
  expect(ids()).toEqual(['app/a', 'app/b'])
  pin(false)
  expect(ids()).toEqual([])
})

test('a followed store is served as it is; a folder that goes serves nothing', () => {
  using at = scratch()
  const { store, pin, ids } = place(at)
  store('a.md', rule('A.'))
  pin(true)
  expect(ids()).toEqual(['app/a'])
  store('b.md', rule('B.'))
  expect(ids()).toEqual(['app/a', 'app/b'])
})

test('links out of the project are refused, of an entry, of a file that it names, and of the folder', () => {
  using at = scratch()
  const { store, pin, ids, codes, root } = place(at)
  const secret = at.write('secret.md', rule('Not of this project.'))
  store('good.md', rule('Good.'))
  symlinkSync(secret, join(root, '.contextmd', 'link.md'))
  store('reads.md', entryText('Read it.', `when: {command: make}\nread: ${secret}`))
  writeFileSync(join(root, 'guide.txt'), 'Guide.')
  store('fine.md', entryText('Read it.', 'when: {command: make}\nread: guide.txt'))
  pin(true)
  expect(ids()).toEqual(['app/fine', 'app/good'])
  expect(codes().filter((code) => code === 'entry_outside_project')).toHaveLength(2)

  const other = join(at.home, 'other')
  mkdirSync(other)
  symlinkSync(join(root, '.contextmd'), join(other, '.contextmd'))
  const trust = join(at.home, 'data', 'trust.json')
  changeTrust(trust, (before) => new Map([...before, [other, { follow: true, entries: new Map() }]]))
  const stores = at.open({ paths: { serving: at.serving, config: join(at.home, 'config'), trust }, compile })
  expect(stores.current(other)).toMatchObject({
    entries: [],
    problems: expect.arrayContaining([expect.objectContaining({ code: 'store_outside_project' })]),
  })
})

test("of equal ids the project's wins, in its project only, and the loser is reported", () => {
  using at = scratch()
  const { store, pin, stores, root } = place(at)
  at.write('config/rules/make.md', rule('Mine.'))
  store('make.md', entryText('Theirs.', 'id: rules/make\nwhen: {command: make}'))
  pin(true)
  const texts = (view: ReturnType<typeof stores.current>) =>
    view.matcher.match(beforeTool({ command: 'make' })).candidates.map(({ entry }) => entry.text)
  const own = stores.current(root)
  expect(own.entries.map(({ text }) => text)).toEqual(['Theirs.'])
  expect(texts(own)).toEqual(['Theirs.'])
  expect(own.problems).toContainEqual(expect.objectContaining({ code: 'entry_shadowed' }))
  expect(texts(stores.current(join(at.home, 'elsewhere')))).toEqual(['Mine.'])
  expect(stores.current(root)).toBe(own)
})

test('without a project, all that are open are told of: for health, and to lift an entry by its id', () => {
  using at = scratch()
  const { store, pin, stores, ids } = place(at)
  store('a.md', rule('A.'))
  expect(ids()).toEqual([])
  expect(stores.current().problems.map(({ code }) => code)).toContain('store_not_trusted')
  pin(true)
  expect(ids()).toEqual(['app/a'])
  expect(stores.current().entries.map(({ id }) => id)).toEqual(['app/a'])
  expect(stores.current().stores).toContainEqual({ name: 'app', folder: join(at.home, 'app', '.contextmd'), entries: 1 })
})

test('S18: an entry of a project can not take the place of a built-in one', () => {
  using at = scratch()
  const { store, pin, root } = place(at)
  const trust = join(at.home, 'data', 'trust.json')
  store('guard.md', entryText('Go on.', 'id: rules/guard\nwhen: {command: make}'))
  pin(true)
  const guard = at.write('config/rules/guard.md', entryText('Hold.', 'when: {command: make}'))
  const [entry] = at.open({ compile }).current().entries
  rmSync(guard)
  const builtIn = () => ({ entries: entry === undefined ? [] : [entry], problems: [] })
  const stores = at.open({ paths: { serving: at.serving, config: join(at.home, 'config'), trust }, compile, builtIn })
  const view = stores.current(root)
  expect(view.entries.map(({ text }) => text)).toEqual(['Hold.'])
  expect(view.matcher.match(beforeTool({ command: 'make' })).candidates.map(({ entry: { text } }) => text)).toEqual(['Hold.'])
  expect(view.problems).toContainEqual(expect.objectContaining({ code: 'entry_shadowed' }))
})
