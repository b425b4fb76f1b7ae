import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { PROCESS_HEADER, PROOF_PATH, proofOf } from '../proof.ts'
import { writeServerFile } from '../server/server-file.ts'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { run } from './run.fixture.ts'

/** A server that proves to be ours, and then hangs up on whatever it is asked. */
async function hangingUp(): Promise<NodeJS.ProcessEnv> {
  const paths = temporaryPaths()
  const key = 'a'.repeat(64)
  let port = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1')
    response.setHeader(PROCESS_HEADER, process.pid)
    if (url.pathname === PROOF_PATH) return void response.end(proofOf(url.searchParams.get('nonce') ?? '', port, key))
    request.socket.resetAndDestroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  port = (server.address() as AddressInfo).port // a TCP server has one
  mkdirSync(paths.data, { recursive: true })
  writeFileSync(paths.key, `${key}\n`)
  writeFileSync(paths.ownToken, 'cmd_own\n')
  writeServerFile(paths.server, {
    pid: process.pid,
    address: `http://127.0.0.1:${port}`,
    version: '0.0.0',
    startedAt: 0,
    startedAs: 'terminal',
  })
  return { CONTEXTMD_DATA: paths.data }
}

test('a server that hangs up is not told as one that does not run', async () => {
  const { code, err } = await run(['health'], await hangingUp())
  expect(code).toBe(1)
  expect(err).toMatch(/closed the connection before it had answered: it is just ending, or it was killed\. Try again/)
})
