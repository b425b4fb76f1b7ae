import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { portOf } from '../service/find.ts'
import { disownServerFile, readServerFile, removeServerFile, writeServerFile, type ServerFile } from './server-file.ts'
import { temporaryPaths } from './with-server.fixture.ts'

const GOOD: ServerFile = { pid: 7, address: 'http://127.0.0.1:4517', version: '1.0.0', startedAt: 1, startedAs: 'terminal' }

function fileWith(text: string): string {
  const { data, server } = temporaryPaths()
  mkdirSync(data, { recursive: true })
  writeFileSync(server, text)
  return server
}

test('what was written is read; a way to start that is not known is left alone', () => {
  const { data, server } = temporaryPaths()
  mkdirSync(data)
  writeServerFile(server, GOOD)
  expect(readServerFile(server)).toEqual(GOOD)
  expect(readServerFile(fileWith(JSON.stringify({ ...GOOD, startedAs: 'cron', more: 1 })))).toEqual({ ...GOOD, startedAs: 'host' })
  const { startedAs: _, ...older } = GOOD
  expect(readServerFile(fileWith(JSON.stringify(older)))).toEqual({ ...GOOD, startedAs: 'host' })
})

test.each([
  ['all processes of the group', { pid: 0 }],
  ['a group', { pid: -7 }],
  ['every process', { pid: -1 }],
  ['no whole number', { pid: 1.5 }],
  ['a text', { pid: '7' }],
  ['more than a process id', { pid: 2 ** 31 }],
  ['a port that is none', { address: 'http://127.0.0.1:0' }],
  ['a port above all', { address: 'http://127.0.0.1:65536' }],
  ['a port with a zero before it', { address: 'http://127.0.0.1:04517' }],
  ['another machine', { address: 'http://192.0.2.1:4517' }],
  ['a user before it', { address: 'http://127.0.0.1:4517@example.org' }],
  ['a path', { address: 'http://127.0.0.1:4517/' }],
  ['two lines', { address: 'http://127.0.0.1:4517\n' }],
  ['no time', { startedAt: null }],
])('a file that names %s names no server', (_, change) => {
  expect(readServerFile(fileWith(JSON.stringify({ ...GOOD, ...change })))).toBeNull()
})

test('whatever stands in it, nothing throws, and what is read has a process and a port that can be asked', () => {
  const { data, server } = temporaryPaths()
  mkdirSync(data)
  const changed = fc.tuple(fc.constantFrom(...Object.keys(GOOD)), fc.jsonValue()).map(([key, value]) => ({ ...GOOD, [key]: value }))
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    changed.map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(texts, (text) => {
      writeFileSync(server, text)
      const read = readServerFile(server)
      disownServerFile(server)
      if (read !== null) {
        expect(read.pid).toBeGreaterThan(0)
        expect(portOf(read)).toBeGreaterThan(0)
        expect(() => process.kill(read.pid, 0)).not.toThrow(TypeError)
      }
      removeServerFile(server, 0)
    }),
  )
})
