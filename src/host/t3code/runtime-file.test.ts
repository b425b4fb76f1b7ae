import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readRuntime } from './runtime-file.ts'

function folderWith(): { readonly folder: string; write(text: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-runtime-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, write: (text) => writeFileSync(join(folder, 'server-runtime.json'), text) }
}

test.each([
  ['{"version":1,"pid":7,"host":"127.0.0.1","port":3773,"origin":"http://127.0.0.1:3773"}', { pid: 7, port: 3773 }],
  ['{"pid":7}', { pid: 7, port: null }],
  ['{"pid":7,"port":70000}', { pid: 7, port: null }],
  ['{"pid":7,"port":"3773"}', { pid: 7, port: null }],
  ['{"pid":-1,"port":3773}', null],
  ['{"pid":1.5}', null],
  ['{"port":3773}', null],
  ['null', null],
  ['{"pid":', null],
])('%s', (text, told) => {
  const { folder, write } = folderWith()
  expect(readRuntime(folder)).toBeNull()
  write(text)
  expect(readRuntime(folder)).toEqual(told)
})

test('whatever stands there, it is a process and a port that can be, or nothing', () => {
  const { folder, write } = folderWith()
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.record({ pid: fc.jsonValue(), port: fc.jsonValue() }).map((told) => JSON.stringify(told)),
      ),
      (text) => {
        write(text)
        const told = readRuntime(folder)
        expect(told === null || (Number.isSafeInteger(told.pid) && told.pid > 0)).toBe(true)
        expect(told?.port == null || (Number.isSafeInteger(told.port) && told.port > 0 && told.port < 65_536)).toBe(true)
      },
    ),
  )
})
