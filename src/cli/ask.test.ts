import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openAsk } from './ask.ts'

function terminal() {
  const input = new PassThrough()
  const told: string[] = []
  return { input, told, ask: openAsk(input, { write: (text) => told.push(text) }) }
}

test('answers that were typed ahead are each for the question that they belong to, and none is lost', async () => {
  const { input, told, ask } = terminal()
  input.write('y\ny\nn\nlast')
  input.end()
  expect([await ask('1 '), await ask('2 '), await ask('3 '), await ask('4 ')]).toEqual(['y', 'y', 'n', 'last'])
  expect(told).toEqual(['1 ', '2 ', '3 ', '4 '])
})

test('an answer that comes after its question is waited for', async () => {
  const { input, ask } = terminal()
  const first = ask('1 ')
  input.write('  yes \r\n')
  expect(await first).toBe('yes')
  const second = ask('2 ')
  input.write('n')
  input.write('o\nthird\n')
  expect(await second).toBe('no')
  expect(await ask('3 ')).toBe('third')
})

test('the end of the input is no answer, to this question and to all that follow', async () => {
  const { input, told, ask } = terminal()
  const first = ask('1 ')
  input.end()
  await expect(first).rejects.toMatchObject({ code: 'failed' })
  await expect(ask('2 ')).rejects.toMatchObject({ code: 'failed' })
  expect(told).toEqual(['1 ', '\n', '2 ', '\n'])
})

test('between two questions nothing is read: the process may end', async () => {
  const { input, ask } = terminal()
  input.write('y\n')
  await ask('1 ')
  expect(input.isPaused()).toBe(true)
})
