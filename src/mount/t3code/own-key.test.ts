import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openOwnKey } from './own-key.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-key-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the key is made with its folder, is gone with it, and is made anew once the folder stands there again', () => {
  const data = join(temporary(), 'data')
  const key = openOwnKey(join(data, 'server.key'))
  const first = key.current()
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  key.refresh()
  expect(key.current()).toBe(first)
  rmSync(data, { recursive: true })
  key.refresh()
  expect(key.current()).toBeNull()
  mkdirSync(data)
  key.refresh()
  expect(key.current()).toMatch(/^[0-9a-f]{64}$/)
  expect(key.current()).not.toBe(first)
})

test('S1: a folder that can not be made leaves the host without a key, and nothing more', () => {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  const key = openOwnKey(join(file, 'data', 'server.key'))
  expect(key.current()).toBeNull()
  key.refresh()
  expect(key.current()).toBeNull()
})
