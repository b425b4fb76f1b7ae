import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { ensureKey, isNonce, newNonce, proofOf, readKey } from './proof.ts'

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-proof-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'server.key')
}

test('a proof is of its nonce, its port and its key', () => {
  const text = fc.stringMatching(/^[0-9a-f]{32}$/)
  const question = fc.tuple(text, fc.integer({ min: 1, max: 65_535 }), text)
  fc.assert(
    fc.property(question, question, (one, other) => {
      expect(proofOf(...one)).toMatch(/^[0-9a-f]{64}$/)
      expect(proofOf(...one) === proofOf(...other)).toBe(one.join() === other.join())
    }),
  )
})

test('a shell makes the same one', () => {
  const [nonce, key] = [newNonce(), 'f00']
  const made = execFileSync('sh', ['-c', 'echo "$1:4517:$2" | sha256sum', 'sh', nonce, key], { encoding: 'utf8' })
  expect(made.split(' ')[0]).toBe(proofOf(nonce, 4517, key))
})

test.each([newNonce(), '0f8b9a52-3a4c-4a0e-9c36-0b9f6b3c1d2e'])('%s is a nonce', (text) => expect(isNonce(text)).toBe(true))
test.each(['', 'abc', 'A'.repeat(40), `${'a'.repeat(40)}:`, 'a'.repeat(65), `${'a'.repeat(40)}\n`])('%j is none', (text) =>
  expect(isNonce(text)).toBe(false),
)

test('the key is made once, private to its owner, and kept', () => {
  const file = temporaryFile()
  expect(readKey(file)).toBeNull()
  const key = ensureKey(file)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect([ensureKey(file), readKey(file)]).toEqual([key, key])
})

test.each([
  ['empty, as a full disk leaves it', ''],
  ['cut', 'abc123\n'],
  ['too long', `${'a'.repeat(65)}\n`],
  ['not hexadecimal', `${'g'.repeat(64)}\n`],
  ['in capitals', `${'A'.repeat(64)}\n`],
  ['of two lines', `${'a'.repeat(32)}\n${'a'.repeat(31)}\n`],
])('a key file that is %s is made anew', (_, text) => {
  const file = temporaryFile()
  writeFileSync(file, text)
  expect(readKey(file)).toBeNull()
  const key = ensureKey(file)
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect([ensureKey(file), readKey(file), readdirSync(dirname(file))]).toEqual([key, key, ['server.key']])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
