import { execFile } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MOMENT, Served } from './served.fixture.ts'
import { COMMIT, Talk } from './talk.fixture.ts'

const LAUNCHER = fileURLToPath(new URL('../../bin/contextmd.js', import.meta.url))

let served: Served
let talk: Talk
beforeAll(async () => {
  served = new Served({ commit: COMMIT })
  talk = new Talk(served)
  await served.start()
  await talk.start()
})
afterAll(() => served.end())

/** Of the 8 MB that a body may have. */
const MANY = 6_000_000

const when = 'when:\n  - command: git push\n'
/** A file of a store that is no entry, with the code under which health and lint name it. */
const BROKEN: Readonly<Record<string, readonly [code: string, content: string | Buffer]>> = {
  'yaml.md': ['entry_bad_yaml', `---\n${when}title: [unclosed\n---\nText.\n`],
  'key.md': ['entry_unknown_key', `---\n${when}must_know: true\n---\nText.\n`],
  'pattern.md': ['entry_bad_condition', '---\nwhen:\n  - command: /a(b/\n---\nText.\n'],
  'empty.md': ['entry_empty', `---\n${when}---\n`],
  'open.md': ['entry_front_matter_open', `---\n${when}Text.\n`],
  'plain.md': ['entry_no_front_matter', 'Only text.\n'],
  'latin.md': ['entry_not_utf8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0x0a, 0x2d, 0x2d, 0x2d, 0x0a])],
  'large.md': ['entry_too_large', `---\n${when}---\n${'x'.repeat(5 * 1024 * 1024)}\n`],
}

test('S3: each bad file of a store is named in health and lint with its cause and cure, and the good one is served', async () => {
  for (const [name, [, content]] of Object.entries(BROKEN)) writeFileSync(join(served.rules, name), content)
  symlinkSync('loop.md', join(served.rules, 'loop.md'))
  symlinkSync('.', join(served.rules, 'folder'))
  expect((await talk.bash('git commit'))?.decision).toBe('deny')

  const { problems } = await served.health()
  const lint = await run('lint', '--json')
  expect(lint.code).toBe(1)
  for (const [name, [code]] of [...Object.entries(BROKEN), ['loop.md', ['entry_symlink_loop']] as const]) {
    const file = join(served.rules, name)
    expect(problems.filter((problem) => problem.file === file)).toContainEqual(
      expect.objectContaining({ code, message: expect.stringMatching(/\w/), cure: expect.stringMatching(/\w/) }),
    )
    expect(lint.out).toContain(file)
    expect(lint.out).toContain(code)
    rmSync(file)
  }
  expect((await served.health()).problems.filter(({ code }) => code.startsWith('entry_'))).toEqual([])
})

test('a bad serving.json keeps the last good one in force, and health says what to mend', async () => {
  const { serving } = served.paths
  const good = JSON.stringify({ stores: [{ name: 'rules', folder: served.rules }] })
  const broken: readonly (readonly [code: string, text: string])[] = [
    ['serving_not_json', '{"stores": ['],
    ['serving_unknown_key', good.replace('"stores"', '"store"')],
    ['serving_name_twice', JSON.stringify({ stores: [1, 2].map(() => ({ name: 'rules', folder: served.rules })) })],
  ]
  writeFileSync(serving, good)
  expect((await talk.bash('git commit'))?.decision).toBe('deny')
  for (const [code, text] of broken) {
    writeFileSync(serving, text)
    expect((await talk.bash('git commit'))?.decision).toBe('deny')
    expect((await served.health()).problems).toContainEqual(
      expect.objectContaining({ code, file: serving, cure: expect.stringMatching(/\w/) }),
    )
  }
  writeFileSync(serving, JSON.stringify({ stores: [{ name: 'gone', folder: '/no/such/folder' }] }))
  expect((await talk.bash('git commit'))?.status).toBe(204)
  expect((await served.health()).problems).toContainEqual(expect.objectContaining({ code: 'store_folder_missing' }))
  rmSync(serving)
  expect((await talk.bash('git commit'))?.decision).toBe('deny')
})

test('M9: a body over the limit is refused, and health says that its rules may have been missed', async () => {
  const before = (await served.health()).counters['not_analysed'] ?? 0
  const event = talk.event('PreToolUse', { tool_name: 'Write', tool_input: { content: 'x'.repeat(20 * 1024 * 1024) }, tool_use_id: 'w' })
  expect((await served.post(event))?.status).toBe(413)
  const { counters, problems } = await served.health()
  expect(counters['not_analysed']).toBe(before + 1)
  expect(problems).toContainEqual(expect.objectContaining({ code: 'not_analysed', message: expect.stringContaining('larger than 8 MB') }))
})

test.each([
  ['lists in lists', '['.repeat(MANY), 413],
  ['lists in lists, all closed', `${'['.repeat(MANY / 2)}${']'.repeat(MANY / 2)}`, 413],
  ['empty objects side by side', `[${'{},'.repeat(MANY / 3)}{}]`, 413],
  ['an event around it', `{"session_id": "s", "hook_event_name": "Stop", "cwd": "/", "x": ${'['.repeat(300)}${']'.repeat(300)}}`, 413],
])('law 17: a body of nothing but brackets (%s) is refused before it is parsed, and counted', async (_, body, status) => {
  const before = (await served.health()).counters['not_analysed'] ?? 0
  expect((await served.ask('POST', MOMENT, { authorization: `Bearer ${served.token}` }, body))?.status).toBe(status)
  const { counters, problems } = await served.health()
  expect(counters['not_analysed']).toBe(before + 1)
  expect(problems).toContainEqual(expect.objectContaining({ message: expect.stringContaining('nested too deeply') }))
})

test.each([
  ['no JSON', '{"session_id": "s"', 400],
  ['empty', '', 400],
  ['no event', '{}', 400],
  ['of an unknown kind', '{"session_id": "s", "hook_event_name": "Other", "cwd": "/"}', 204],
])('an event that is %s', async (_, body, status) => {
  expect((await served.ask('POST', MOMENT, { authorization: `Bearer ${served.token}` }, body))?.status).toBe(status)
})

test('S2: a chunked body without an end is answered in time, and holds up no one else', async () => {
  const socket = connect(served.port, '127.0.0.1')
  const head = `POST ${MOMENT} HTTP/1.1\r\nhost: 127.0.0.1:${served.port}\r\nauthorization: Bearer ${served.token}`
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`)
  const answer = new Promise<string>((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString())))
  expect((await talk.bash('git commit'))?.decision).toBe('deny')
  expect(await answer).toMatch(/^HTTP\/1\.1 204 /)
  socket.destroy()
})

function run(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [LAUNCHER, ...argv], { env: served.env }, (error, out) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out })
    })
  })
}
