import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../engine/open.ts'
import { fileOfEntryRead } from '../../match/entry-read.ts'
import { temporaryPaths, withServer, type TestServer } from '../with-server.fixture.ts'
import { answerOf, rpc, toolCall } from './mcp.fixture.ts'

const PATH = '/contextmd/mcp?harness=codex'

interface Library {
  readonly server: TestServer
  readonly store: string
  /** Of this git project. */
  readonly project: string
  ask(tool: string, input: object, meta?: object, path?: string): Promise<{ readonly text: string; readonly isError: boolean }>
}

/** A real server with a real engine over a real store. */
async function library(entries: Readonly<Record<string, string>>): Promise<Library> {
  const paths = temporaryPaths()
  const home = dirname(paths.data)
  const store = join(paths.config, 'rules')
  mkdirSync(store, { recursive: true })
  for (const [name, text] of Object.entries(entries)) writeFileSync(join(store, `${name}.md`), text)
  writeFileSync(paths.serving, JSON.stringify({ stores: [{ name: 'rules', folder: store }], ownFiles: false }))
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'contextmd-shop-')))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const now = () => Date.UTC(2026, 0, 1)
  const server = await withServer(undefined, {
    paths,
    now,
    openEngine: () => openEngine({ paths, version: '0.0.0', now, env: { HOME: home } }),
  })
  return {
    server,
    store,
    project,
    ask: async (tool, input, meta, path = PATH) => answerOf(await server.post(path, toolCall(tool, input, meta), server.as('agent'))),
  }
}

const entry = (title: string, text: string, more = '') => `---\ntitle: ${title}\nwhen:\n  - command: touch\n${more}---\n${text}\n`

test('lists the two tools, both as reading only', async () => {
  const { server } = await library({})
  const response = await server.post(PATH, rpc(1, 'tools/list'), server.as('agent'))
  const { result } = (await response.json()) as { result: { tools: { name: string; annotations: object }[] } }
  expect(result.tools.map(({ name, annotations }) => [name, annotations])).toEqual([
    ['search_entries', { readOnlyHint: true }],
    ['read_entry', { readOnlyHint: true }],
  ])
})

test('search finds by words, the entry that holds most of them first; without a word all are listed', async () => {
  const { ask } = await library({
    commits: entry('Commit messages', 'Use Conventional Commits.'),
    branches: entry('Branches', 'A branch is named for its commit.'),
    ports: entry('Ports', 'Port 4000 is taken.'),
  })
  const { text } = await ask('search_entries', { query: 'commit MESSAGES?' })
  expect(text.split('\n')).toEqual([
    'rules/commits: Commit messages. Use Conventional Commits.',
    'rules/branches: Branches. A branch is named for its commit.',
  ])
  expect((await ask('search_entries', { query: ' ' })).text.split('\n')).toHaveLength(3)
  expect((await ask('search_entries', { query: 'zebra' })).text).toBe('No rule holds one of these words.')
  expect(await ask('search_entries', {})).toMatchObject({ isError: true })
})

test('a long list is cut and says so', async () => {
  const { ask } = await library(
    Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`e${n}`, entry(`Title ${n}`, 'word '.repeat(99))])),
  )
  const lines = (await ask('search_entries', { query: 'word' })).text.split('\n')
  expect(lines).toHaveLength(11)
  expect(lines.at(-1)).toBe('3 more; search for other words to see them.')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200)
})

test('a read gives the whole text under the name of its file; an unknown id is answered with the nearest', async () => {
  const { ask, store } = await library({ commits: entry('Commit messages', 'Use Conventional Commits.\n\nNo full stop.') })
  const file = realpathSync(join(store, 'commits.md'))
  const read = await ask('read_entry', { id: 'rules/commits' })
  expect(read).toEqual({
    text: `Entry: rules/commits (Commit messages)\nFile: ${file}\n\nUse Conventional Commits.\n\nNo full stop.`,
    isError: false,
  })
  expect(fileOfEntryRead(read.text)).toBe(file)
  expect(await ask('read_entry', { id: 'rules/comits' })).toEqual({
    text: 'There is no such rule: did you mean rules/commits? Find its id with search_entries.',
    isError: true,
  })
  expect(await ask('read_entry', { id: 7 })).toMatchObject({ isError: true })
})

test('a pointer names its files, those of the project at hand', async () => {
  const { ask, project } = await library({ guide: entry('Guide', 'Read it.', 'read: GUIDE.txt\n') })
  writeFileSync(join(project, 'GUIDE.txt'), 'Guide.\n')
  const { text } = await ask('read_entry', { id: 'rules/guide', folder: project })
  expect(text).toContain(`Read this file before you go on:\n- ${join(project, 'GUIDE.txt')}`)
})

test('only entries in scope: of this project, of this harness, not expired', async () => {
  const { ask, project } = await library({
    all: entry('All', 'word'),
    grok: entry('Grok', 'word', 'scope:\n  harnesses: [grok]\n'),
    old: entry('Old', 'word', 'expires: 1970-01-01\n'),
    other: entry('Other', 'word', 'scope:\n  projects: [elsewhere]\n'),
    ours: entry('Ours', 'word', 'scope:\n  projects: [contextmd-shop-*]\n'),
  })
  const found = async (input: object, meta = {}, path = PATH) =>
    (await ask('search_entries', { query: 'word', ...input }, meta, path)).text.split('\n').map((line) => line.split(':')[0])
  expect(await found({})).toEqual(['rules/all'])
  expect(await found({ folder: project })).toEqual(['rules/all', 'rules/ours'])
  expect(await found({ folder: basename(project) })).toEqual(['rules/all'])
  expect(await found({}, { 'x-codex-turn-metadata': { workspaces: { [project]: {} } } })).toEqual(['rules/all', 'rules/ours'])
  expect(await found({}, {}, '/contextmd/mcp?harness=grok')).toEqual(['rules/all', 'rules/grok'])
  expect(await found({}, {}, '/contextmd/mcp')).toEqual(['rules/all', 'rules/grok'])
  expect((await ask('read_entry', { id: 'rules/ours' })).isError).toBe(true)
  expect((await ask('read_entry', { id: 'rules/ours', folder: project })).isError).toBe(false)
})

test('a very long text is cut and stays under the limit of harnesses', async () => {
  const { ask } = await library({ long: entry('Long', 'word '.repeat(20_000)) })
  const { text } = await ask('read_entry', { id: 'rules/long' })
  expect(Buffer.byteLength(text)).toBeLessThan(31_000)
  expect(text.endsWith('…')).toBe(true)
})

test('what an agent asks is in no log', async () => {
  const { ask, server } = await library({ all: entry('All', 'word') })
  await ask('search_entries', { query: 'planted-secret' })
  await ask('read_entry', { id: 'planted-secret' })
  expect(server.engine.log({ newest: true })).toEqual([])
  expect(server.mishaps).toEqual([])
})
