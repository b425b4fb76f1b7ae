import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeTrust, openTrust, readTrust, TrustError } from './trust.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contextmd-trust-'))
  file = join(folder, 'data', 'trust.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const project = { follow: false, entries: new Map([['a.md', 'hash']]) }

test('what was changed is read back; the file is private to the user', () => {
  expect(readTrust(file)).toEqual({ state: 'read', trust: new Map() })
  changeTrust(file, () => new Map([['/p', project]]))
  changeTrust(file, (before) => new Map([...before, ['/__proto__', { ...project, follow: true }]]))
  expect(readTrust(file)).toEqual({
    state: 'read',
    trust: new Map([
      ['/p', project],
      ['/__proto__', { ...project, follow: true }],
    ]),
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('an open file follows each change, and stays the same object without one', () => {
  const current = openTrust(file)
  const before = current()
  expect(current()).toBe(before)
  changeTrust(file, () => new Map([['/p', project]]))
  expect(current()).toMatchObject({ trust: new Map([['/p', project]]) })
})

test.each(['{', '{"version": 2, "projects": {}}', '{"version": 1, "projects": {"/p": {"follow": "yes", "entries": {}}}}'])(
  'a file that can not be understood trusts nothing, and is not written over: %s',
  (text) => {
    changeTrust(file, () => new Map())
    writeFileSync(file, text)
    expect(readTrust(file)).toMatchObject({ state: 'broken', problem: { code: 'trust_broken', severity: 'error', file } })
    expect(() => changeTrust(file, (trust) => trust)).toThrow(TrustError)
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)
