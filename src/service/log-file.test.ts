import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { openLogFile } from './log-file.ts'

const now = () => Date.UTC(2026, 4, 1, 10, 0, 0)

test('each line has its time, the file is for its owner only', () => {
  const { log } = temporaryPaths()
  openLogFile(log, now).write('one\ntwo\n')
  expect(readFileSync(log, 'utf8')).toBe('2026-05-01T10:00:00.000Z one\n2026-05-01T10:00:00.000Z two\n')
  expect(statSync(log).mode & 0o777).toBe(0o600)
})

test('it never grows beyond its size, and the part before it is kept', () => {
  const { log } = temporaryPaths()
  const file = openLogFile(log, now, 1_000)
  for (let line = 0; line < 200; line += 1) file.write(`line ${line}\n`)
  expect(statSync(log).size).toBeLessThanOrEqual(1_000)
  expect(statSync(`${log}.1`).size).toBeLessThanOrEqual(1_000)
  const kept = (readFileSync(`${log}.1`, 'utf8') + readFileSync(log, 'utf8')).match(/line \d+/g)
  expect(kept?.at(-1)).toBe('line 199')
  expect(kept).toEqual(kept?.map((_, at) => `line ${200 - kept.length + at}`))
})

test('where it can not be written nothing is thrown', () => {
  const { data, log } = temporaryPaths()
  mkdirSync(log, { recursive: true })
  expect(() => openLogFile(log, now).write('lost')).not.toThrow()
  writeFileSync(`${data}.file`, '')
  expect(() => openLogFile(`${data}.file/server.log`, now).write('lost')).not.toThrow()
  expect(existsSync(`${data}.file`)).toBe(true)
})
