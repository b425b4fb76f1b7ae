import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { addressProblems, setUpAddresses, setUpPort } from './addresses.ts'

type Setup = readonly [harness: string, port: number, transport: 'http' | 'command']

/** The records that setups leave. */
function setUpWith(...setups: readonly Setup[]) {
  const paths = temporaryPaths()
  mkdirSync(paths.data, { recursive: true })
  const records = setups.map(([harness, port, transport]) => ({
    harness,
    scope: 'user',
    file: `/home/dev/${harness}.json`,
    before: { kind: 'none' },
    after: '',
    written: { created: [], rules: [] },
    madeFolder: false,
    exclude: null,
    transport,
    port,
  }))
  writeFileSync(join(paths.data, 'setup.json'), JSON.stringify(Object.groupBy(records, ({ harness }) => harness)))
  return paths
}

test('nothing is set up: no port is wanted, nothing is wrong', () => {
  const paths = temporaryPaths()
  expect([setUpAddresses(paths), setUpPort(paths), addressProblems(paths, 4517)]).toEqual([[], null, []])
})

test.each<{ setups: readonly Setup[]; port: number | null }>([
  { setups: [['claude-code', 4600, 'http']], port: 4600 },
  {
    setups: [
      ['claude-code', 4600, 'http'],
      ['codex', 4601, 'command'],
    ],
    port: 4600,
  },
  {
    setups: [
      ['claude-code', 4600, 'command'],
      ['grok', 4600, 'command'],
    ],
    port: 4600,
  },
  {
    setups: [
      ['claude-code', 4600, 'command'],
      ['grok', 4601, 'command'],
    ],
    port: null,
  },
])('the server takes the port of $setups: $port', ({ setups, port }) => expect(setUpPort(setUpWith(...setups))).toBe(port))

test('hooks that call a fixed port are a problem when the server is at another, the others are not', () => {
  const paths = setUpWith(['claude-code', 4600, 'http'], ['codex', 4600, 'command'], ['grok', 4600, 'command'])
  expect(addressProblems(paths, 4600)).toEqual([])
  expect(addressProblems(paths, 4517)).toMatchObject([
    { code: 'address_differs', severity: 'error', file: '/home/dev/claude-code.json', cure: expect.stringContaining('--port 4517') },
  ])
})
