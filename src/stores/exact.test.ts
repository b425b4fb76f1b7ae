/** An edit counts at the very next moment: written, then asked at once, a thousand times. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LOOKS_A_CALL } from './live-folder.ts'
import { entryText, scratch } from './scratch-store.fixture.ts'
import type { OpenStores } from './open.ts'

const TIMES = 1_000

function textOf(stores: OpenStores, id: string): string | undefined {
  return stores.current().entries.find((entry) => entry.id === id)?.text
}

test('in one process, without a turn of the event loop: in place and by rename', () => {
  using at = scratch()
  const file = at.write('config/rules/a.md', entryText('0'))
  const stores = at.open()
  const wrong: number[] = []
  for (let i = 1; i <= TIMES; i++) {
    if (i % 2 === 0) writeFileSync(file, entryText(`${i}`))
    else {
      writeFileSync(`${file}.tmp`, entryText(`${i}`))
      renameSync(`${file}.tmp`, file)
    }
    if (textOf(stores, 'rules/a') !== `${i}`) wrong.push(i)
  }
  expect(wrong).toEqual([])
}, 60_000)

test('serving.json, in one process', () => {
  using at = scratch()
  at.write('one/a.md', entryText('One.'))
  at.write('two/a.md', entryText('Two.'))
  const stores = at.open()
  const wrong: number[] = []
  for (let i = 0; i < 200; i++) {
    const name = i % 2 === 0 ? 'one' : 'two'
    writeFileSync(at.serving, `{"stores": [{"name": "${name}", "folder": "../${name}"}]}`)
    if (textOf(stores, `${name}/a`) === undefined || stores.current().entries.length !== 1) wrong.push(i)
  }
  expect(wrong).toEqual([])
}, 60_000)

test.each([
  ['a small store', 10, 0],
  ['a store too large to look at each file', 3 * LOOKS_A_CALL, 400_000],
])(
  'over HTTP, written by another process while the server is busy: %s',
  async (_, size, work) => {
    using at = scratch()
    for (let i = 0; i < size; i++) at.write(`config/rules/${i}.md`, entryText('0'))
    const stores = at.open()
    let turns = 0
    const server = createServer(async (request, response) => {
      let id = ''
      for await (const chunk of request) id += chunk
      // The event loop hands over a request before an older file event when it was busy as both came in: one turn puts them in order.
      await setImmediate()
      response.end(textOf(stores, id))
      turns += 1
      burn((turns % 4) * work)
      setImmediate().then(() => burn((turns % 3) * work))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
    const client = at.write('client.mjs', CLIENT)
    const child = fork(client, [String(port), at.rules, String(size), String(TIMES)])
    const [wrong] = await once(child, 'message')
    server.close()
    expect(wrong).toEqual([])
  },
  60_000,
)

/** Keeps the event loop busy for a millisecond or so, as the work after a moment does: the next request comes in meanwhile. */
function burn(rounds: number): void {
  let sum = 0
  for (let i = 0; i < rounds; i++) sum += i % 7
  if (sum < 0) throw new Error('never')
}

const CLIENT = `
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

const [port, folder, size, times] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const post = (id) => new Promise((resolve, reject) => {
  const sent = request({ host: '127.0.0.1', port, method: 'POST', agent }, async (response) => {
    let text = ''
    for await (const chunk of response) text += chunk
    resolve(text)
  })
  sent.on('error', reject)
  sent.end(id)
})
const wrong = []
for (let i = 1; i <= Number(times); i++) {
  // Another file each time: one that changed a moment ago is read again in any case.
  const name = i % size
  writeFileSync(folder + '/' + name + '.md', '---\\nwhen:\\n  - prompt: deploy\\n---\\n' + i + '\\n')
  const text = await post('rules/' + name)
  if (text !== String(i)) wrong.push([i, text])
}
process.send(wrong, () => process.exit())
`
