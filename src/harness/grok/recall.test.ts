import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HARNESSES } from '../all.ts'
import { recall } from './recall.ts'
import { calls, denied, result, says, shell } from './session.fixture.ts'

const grok = HARNESSES.find(({ profile }) => profile.name === 'grok')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'contextmd-recall-grok-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function history(lines: readonly string[], session = 's1'): string {
  const file = join(home, '.grok', 'sessions', encodeURIComponent('/home/dev/project'), session, 'chat_history.jsonl')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

async function moments(file: string, wanted: string | null) {
  const found = await recall.call(file, wanted)
  const events = found === null ? [] : [found.before, ...(found.after === null ? [] : [found.after])]
  return { found, moments: events.map((event) => grok?.decode(event, 0)).flatMap((one) => (one?.ok === true ? [one.moment] : [])) }
}

describe('a call is read back as the events that its hooks posted', () => {
  test('in the shell, with what it printed and its exit code', async () => {
    const file = history([
      calls(shell('a', 'npm test')),
      result('a', 'exit: 1\nred\n'),
      calls(shell('b', 'ls')),
      result('b', 'exit: 0\nx'),
      says('x'),
    ])
    expect((await moments(file, 'a')).moments).toMatchObject([
      { kind: 'before-tool', session: 's1', cwd: '/home/dev/project', call: { tool: 'shell', command: 'npm test', id: 'a' } },
      { kind: 'after-tool', result: { state: 'failed', exitCode: 1, output: 'red\n' } },
    ])
    expect((await moments(file, null)).found).toMatchObject({ call: 'b', wasDenied: false, at: null })
  })

  test('a tool of an MCP server, through the program`s own', async () => {
    const file = history([calls(['m', 'use_tool', { tool_name: 'lab__echo', tool_input: { text: 'hi' } }]), result('m', 'mcp:hi')])
    expect((await moments(file, 'm')).moments).toMatchObject([{ call: { tool: 'mcp:lab/echo' } }, { result: { output: 'mcp:hi' } }])
  })

  test('a denied one never ran; one without a result has no end', async () => {
    const file = history([calls(shell('a', 'rm x')), denied('a', 'no'), calls(shell('b', 'ls'))])
    expect((await moments(file, 'a')).found).toMatchObject({ wasDenied: true, after: null })
    expect((await moments(file, 'b')).found).toMatchObject({ wasDenied: false, after: null })
    expect(await recall.call(file, 'c')).toBeNull()
  })
})

test('files are found by session, and without one all of them', () => {
  const [one, two] = [history([], 's1'), history([], 's2')]
  expect(recall.files({ home, env: {} }, 's1', null)).toEqual([one])
  expect(recall.files({ home, env: {} }, 's1', 's2')).toEqual([two])
  expect(new Set(recall.files({ home, env: {} }, null, null))).toEqual(new Set([one, two]))
  expect(recall.files({ home: '/nowhere', env: { GROK_HOME: join(home, '.grok') } }, 's1', null)).toEqual([one])
})
