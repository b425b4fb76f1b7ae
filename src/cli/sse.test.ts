import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents } from './sse.ts'

async function eventsIn(chunks: readonly string[]) {
  async function* stream() {
    yield* chunks
  }
  const events = []
  for await (const event of readEvents(stream())) events.push(event)
  return events
}

test('comments are passed over, an unfinished event is dropped', async () => {
  const text = ': ping\n\nevent: moment\nid: 3\ndata: {"a":1}\n\ndata: two\r\ndata: lines\r\n\r\nevent: moment\ndata: unfinished'
  expect(await eventsIn([text])).toEqual([
    { event: 'moment', data: '{"a":1}' },
    { event: 'message', data: 'two\nlines' },
  ])
})

test('however the bytes are cut, the events are the same', async () => {
  const event = fc.record({ event: fc.constantFrom('moment', 'verdict'), data: fc.string().map((text) => JSON.stringify(text)) })
  await fc.assert(
    fc.asyncProperty(fc.array(event), fc.array(fc.nat(40)), async (events, cuts) => {
      const text = events.map(({ event: name, data }) => `event: ${name}\ndata: ${data}\n\n`).join('')
      const chunks: string[] = []
      let from = 0
      for (const cut of cuts) chunks.push(text.slice(from, (from += cut)))
      chunks.push(text.slice(from))
      expect(await eventsIn(chunks)).toEqual(events)
    }),
    { numRuns: 50 },
  )
})
