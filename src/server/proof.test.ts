import { expect, test } from 'vitest'
import { newNonce, PROOF_PATH, proofOf, readKey } from '../proof.ts'
import { withServer } from './with-server.fixture.ts'

test('it answers without a token, with the proof for the port that it is at', async () => {
  const { address, port, paths } = await withServer()
  const nonce = newNonce()
  const response = await fetch(`${address}${PROOF_PATH}?nonce=${nonce}`)
  expect([response.status, response.headers.get('content-length')]).toEqual([200, '64'])
  expect(await response.text()).toBe(proofOf(nonce, port, readKey(paths.key) ?? ''))
})

test.each(['', '?nonce=', '?nonce=abc', `?nonce=${'Z'.repeat(40)}`, `?nonce=${'a'.repeat(1_000)}`])(
  '%s is refused: what it hashes is of one form only',
  async (query) => {
    const { address } = await withServer()
    expect((await fetch(address + PROOF_PATH + query)).status).toBe(400)
  },
)

test('a page of another origin learns nothing', async () => {
  const { address } = await withServer()
  const response = await fetch(`${address}${PROOF_PATH}?nonce=${newNonce()}`, { headers: { origin: 'http://example.org' } })
  expect(response.status).toBe(403)
})

test('another server has another key, and a second start keeps it', async () => {
  const first = await withServer()
  const key = readKey(first.paths.key)
  await first.close()
  const second = await withServer(undefined, { paths: first.paths })
  const other = await withServer()
  expect([readKey(second.paths.key), readKey(other.paths.key) === key]).toEqual([key, false])
})
