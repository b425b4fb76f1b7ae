import { chmodSync, mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scratch, type Scratch } from './scratch-store.fixture.ts'
import { servingSchema } from './serving-schema.ts'
import { openServingFile, readServing } from './serving.ts'

function placesOf(at: Scratch) {
  return { serving: at.serving, config: join(at.home, 'config'), home: at.home }
}

function read(text: string) {
  using at = scratch()
  writeFileSync(at.serving, text)
  return { at, ...readServing(placesOf(at)) }
}

test('folders from the home, absolute, and relative to the file; comments and trailing commas', () => {
  const { at, serving, problems } = read(`{
    // who and where
    "$schema": "./serving.schema.json",
    "stores": [
      { "name": "mine", "folder": "~/my rules" },
      { "name": "team", "folder": "/srv/rules/" },
      { "name": "here", "folder": "rules" }, /* next to this file */
      { "name": "asleep", "folder": "x", "enabled": false },
    ],
    "port": 4000,
    "host": { "kind": "t3code" },
    "log": { "days": 7, "megabytes": 200 },
    "ownFiles": false,
  }`)
  expect(problems).toEqual([])
  expect(serving).toEqual({
    stores: [
      { name: 'mine', folder: join(at.home, 'my rules') },
      { name: 'team', folder: '/srv/rules' },
      { name: 'here', folder: at.rules },
    ],
    port: 4000,
    host: { kind: 't3code', base: null, others: false },
    log: { days: 7, megabytes: 200 },
    ownFiles: false,
  })
})

describe('what is wrong has a code, a line, a key and a cure', () => {
  test.each([
    ['', 'serving_bad_value', 1, ''],
    ['{"stores": [', 'serving_not_json', 1, undefined],
    ['{"stores": []}}', 'serving_not_json', 1, undefined],
    ['{\n"stores": [],\n"prot": 1}', 'serving_unknown_key', 3, 'prot'],
    ['{\n"folder": "x"}', 'serving_missing_key', 1, 'stores'],
    ['{"stores": [{"name": "a"}]}', 'serving_missing_key', 1, 'folder'],
    ['{"stores": [{"name": "a", "foldr": "x"}]}', 'serving_missing_key', 1, 'folder'],
    ['{"stores": [{"name": "a/b", "folder": "x"}]}', 'serving_bad_value', 1, 'name'],
    ['{"stores": {}}', 'serving_bad_value', 1, 'stores'],
    ['{"stores": [], "port": 70000}', 'serving_bad_value', 1, 'port'],
    ['{"stores": [], "ownFiles": "no"}', 'serving_bad_value', 1, 'ownFiles'],
    ['{"stores": [], "host": {"kind": "t3cod"}}', 'serving_bad_value', 1, 'kind'],
    ['{"stores": [], "log": {"days": 0}}', 'serving_bad_value', 1, 'days'],
    ['{"stores": [], "log": {"day": 3}}', 'serving_unknown_key', 1, 'day'],
    ['{"stores": [{"name": "a", "folder": "x"}, {"name": "a", "folder": "y"}]}', 'serving_name_twice', undefined, 'name'],
  ])('%j', (text, code, line, key) => {
    const { state, problems } = read(text)
    expect(state).toBe('broken')
    expect(problems[0]).toMatchObject({ code, severity: 'error', cure: expect.stringMatching(/./) })
    expect([problems[0]?.line, problems[0]?.key]).toEqual([line, key])
  })

  test('the nearest key is named, and where in the list it stands', () => {
    const { problems } = read('{"stores": [{"name": "a", "folder": "x", "enabeld": true}]}')
    expect(problems).toMatchObject([{ message: expect.stringContaining('(stores[0].enabeld)'), cure: 'write `enabled`' }])
  })

  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['over the limit', (path: string) => writeFileSync(path, ' '.repeat(2 * 1024 * 1024))],
  ])('%s in its place', (_, make) => {
    using at = scratch()
    make(at.serving)
    expect(readServing(placesOf(at)).problems).toMatchObject([{ code: 'serving_unreadable', severity: 'error' }])
  })
})

describe('over time', () => {
  const rules = (at: Scratch) => [{ name: 'rules', folder: at.rules }]

  test('missing: the default store, if its folder is there', () => {
    using at = scratch()
    const file = openServingFile(placesOf(at))
    expect(file.current(0)).toEqual({
      serving: { stores: rules(at), port: null, host: { kind: 'found', base: null, others: false }, log: {}, ownFiles: true },
      problems: [],
    })
    expect(file.current(0)).toBe(file.current(1))
    rmSync(at.rules, { recursive: true })
    expect(file.current(0).serving.stores).toEqual([])
  })

  test('broken: the last good one stays in force and the problem says so; taken away: the default again', () => {
    using at = scratch()
    writeFileSync(at.serving, '{"stores": [{"name": "a", "folder": "a"}], "port": 5000}')
    const file = openServingFile(placesOf(at))
    const { serving } = file.current(0)
    expect(serving.port).toBe(5000)
    writeFileSync(at.serving, '{"stores": [')
    expect(file.current(0).serving).toEqual(serving)
    expect(file.current(0).problems).toMatchObject([{ code: 'serving_not_json', message: expect.stringContaining('stay in force') }])
    unlinkSync(at.serving)
    expect(file.current(0)).toMatchObject({ serving: { stores: rules(at), port: null }, problems: [] })
  })

  test('broken from the start: the default store, and the problem', () => {
    using at = scratch()
    writeFileSync(at.serving, 'not json')
    expect(openServingFile(placesOf(at)).current(0)).toMatchObject({ serving: { stores: rules(at) }, problems: [{ severity: 'error' }] })
  })

  test('a new file with another mode counts', () => {
    using at = scratch()
    writeFileSync(at.serving, '{"stores": []}')
    const file = openServingFile(placesOf(at))
    expect(file.current(0).serving.stores).toEqual([])
    chmodSync(at.serving, 0o600)
    expect(file.current(0).serving.stores).toEqual([])
  })
})

test('a folder that is not there is told of, and the other stores are served', () => {
  using at = scratch()
  at.write('config/rules/a.md', '---\nwhen: {prompt: x}\n---\nA.\n')
  writeFileSync(at.serving, '{"stores": [{"name": "gone", "folder": "gone"}, {"name": "rules", "folder": "rules"}]}')
  const stores = at.open()
  expect(stores.current().entries.map(({ id }) => id)).toEqual(['rules/a'])
  expect(stores.current().problems).toMatchObject([
    { code: 'store_folder_missing', severity: 'error', file: join(at.home, 'config', 'gone') },
  ])
  at.write('config/gone/b.md', '---\nwhen: {prompt: x}\n---\nB.\n')
  expect(stores.current().entries.map(({ id }) => id)).toEqual(['gone/b', 'rules/a'])
  expect(stores.current().problems).toEqual([])
})

test('a JSON Schema can be made of the one source', () => {
  expect(z.toJSONSchema(servingSchema).required).toEqual(['stores'])
})
