import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readInput } from './standard-input.ts'

test('all of it is read, whatever pieces it comes in', async () => {
  expect(await readInput(Readable.from([Buffer.from('gr'), Buffer.from('ün\n').subarray(0, 1), Buffer.from('ün\n').subarray(1)]))).toBe(
    'grün\n',
  )
  expect(await readInput(Readable.from([]))).toBe('')
})

test('of what does not end only the beginning is read', async () => {
  let given = 0
  const endless = new Readable({
    read() {
      given += 1
      this.push('x'.repeat(10_000))
    },
  })
  expect((await readInput(endless)).length).toBe(64 * 1024)
  expect(endless.destroyed).toBe(true)
  expect(given).toBeLessThan(100)
})
