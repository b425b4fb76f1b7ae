import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hooksFor } from '../harness/claude-code/install-hooks.ts'
import { PROOF_PATH, proofOf } from '../proof.ts'
import { HOOK_SCRIPT } from './hook.ts'
import { deleteHookFiles, staleHookFiles, tokenInHookFiles, writeHookFiles } from './hook-scripts.ts'

const TOKEN = 'cmd_secret'
const KEY = '0123456789abcdef'
const EVENT = JSON.stringify({ hook_event_name: 'SessionStart', text: `Grüße "…" ${'x'.repeat(100_000)}` })
const ANSWER = '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Regel „1“\\n\\ttab"}}'
/** Generous, since nothing is measured here. */
const SECONDS = 20

const folder = mkdtempSync(join(tmpdir(), 'contextmd hook '))
const hooks = join(folder, "it's hooks")
let server: Server
let port = 0
let answer: (response: ServerResponse) => void
let seen: { request: IncomingMessage; body: string }[]

beforeAll(async () => {
  writeHookFiles(hooks, TOKEN)
  writeFileSync(join(folder, 'server.key'), `${KEY}\n`)
  server = createServer((request, response) => {
    if (request.url?.startsWith(PROOF_PATH)) return response.end(proofOf(request.url.split('nonce=')[1] ?? '', port, KEY))
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      seen.push({ request, body: Buffer.concat(parts).toString() })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  seen = []
  answer = json(ANSWER)
})

function json(body: string, status = 200) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', 'contextmd-delivery': 'd1' })
    response.end(status === 204 ? undefined : body)
  }
}

interface Run {
  readonly env?: NodeJS.ProcessEnv
  readonly at?: number
  readonly seconds?: number
  readonly shell?: string
  readonly event?: string
}

/** Runs the very command that stands in the settings. */
function runHook({ env = {}, at = port, seconds = SECONDS, shell = '/bin/sh', event = EVENT }: Run = {}) {
  const hook = hooksFor({ transport: 'command', port: at, token: TOKEN, hooksFolder: hooks, seconds }).get('SessionStart')
  const command = hook?.type === 'command' ? hook.command : ''
  return new Promise<{ code: number | string; stdout: string }>((resolve) => {
    const child = execFile(shell, ['-c', command], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    )
    // A hook that stands down does not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(event)
  })
}

/** A PATH with these programs only. */
function pathOf(...programs: string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'))
  for (const program of programs) {
    const places =
      program === 'node' ? [process.execPath] : (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, program))
    const found = places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile())
    if (found !== undefined) symlinkSync(found, join(bin, program))
  }
  return bin
}

const SILENT = { code: 0, stdout: '' }
const CLIENTS = {
  curl: () => pathOf('sh', 'curl', 'sha256sum'),
  wget: () => pathOf('sh', 'wget', 'mktemp', 'cat', 'rm', 'sha256sum'),
  node: () => pathOf('sh', 'node'),
}

describe.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])('by %s', (client) => {
  const env = { PATH: CLIENTS[client](), TMPDIR: folder }

  test('200: passes the answer on, byte for byte, and sends event, token and type', async () => {
    expect(await runHook({ env })).toEqual({ code: 0, stdout: `${ANSWER}\n` })
    const [{ request, body } = { request: null, body: '' }] = seen
    expect(seen).toHaveLength(1)
    expect(body).toBe(EVENT)
    expect(request?.method).toBe('POST')
    expect(request?.url).toBe('/contextmd/v1/moment?harness=claude-code')
    expect(request?.headers['authorization']).toBe(`Bearer ${TOKEN}`)
    expect(request?.headers['content-type']).toBe('application/json')
  })

  test('204: prints nothing', async () => {
    answer = json('', 204)
    expect(await runHook({ env })).toEqual(SILENT)
    expect(seen).toHaveLength(1)
  })

  test.each([201, 302, 401, 413, 500])('%i with a body: prints nothing, whatever the body says', async (status) => {
    answer = json('{"decision":"block","reason":"no"}', status)
    expect(await runHook({ env })).toEqual(SILENT)
  })

  test('S11: a refused connection is no deny', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    await new Promise((resolve) => other.close(resolve))
    expect(await runHook({ env, at: typeof address === 'object' && address !== null ? address.port : 0 })).toEqual(SILENT)
  })

  test('a server that does not answer is given up', async () => {
    answer = () => {}
    expect(await runHook({ env, seconds: 0.3 })).toEqual(SILENT)
  })

  test('S8: what could not be posted is counted, and told once with the next event that gets through', async () => {
    rmSync(join(hooks, 'claude-code.missed'), { force: true })
    answer = () => {}
    await runHook({ env, seconds: 0.3 })
    await runHook({ env, seconds: 0.3 })
    answer = json(ANSWER)
    for (const text of [null, '7 x\n', '5', '']) {
      if (text !== null) writeFileSync(join(hooks, 'claude-code.missed'), text)
      expect(await runHook({ env })).toEqual({ code: 0, stdout: `${ANSWER}\n` })
    }
    const told = seen.slice(2).map(({ request }) => request.headers['contextmd-missed'] ?? '')
    expect(told).toEqual([client === 'curl' ? 'timed-out=2 refused=0 starting=0' : 'timed-out=0 refused=2 starting=0', '', '', ''])
    expect(readFileSync(join(hooks, 'claude-code.missed'), 'utf8')).toBe('')
  })

  test('a server that breaks off in the middle is no answer', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write(ANSWER, () => response.destroy())
    }
    expect(await runHook({ env })).toEqual(SILENT)
  })

  test.each(['garbage', 'log: starting\n{"a":1}', '{"a":1} trailing', '<html>'])(
    'S12: %j is not passed on, though the status is 200',
    async (body) => {
      answer = json(body)
      expect(await runHook({ env })).toEqual(SILENT)
    },
  )

  test('CONTEXTMD_OFF: the server is told, and nothing is printed whatever it answers', async () => {
    expect(await runHook({ env: { ...env, CONTEXTMD_OFF: '1' } })).toEqual(SILENT)
    expect(seen[0]?.request.headers['contextmd-off']).toBe('1')
    expect(await runHook({ env: { ...env, CONTEXTMD_OFF: '0' } })).toEqual({ code: 0, stdout: `${ANSWER}\n` })
    expect(seen[1]?.request.headers['contextmd-off'] ?? '').toBe('')
  })

  test.each(['GROK_HOOK_EVENT', 'GROK_SESSION_ID', 'COPILOT_HOOK_DIR'])(
    'S15: stands down where %s tells of another harness',
    async (name) => {
      expect(await runHook({ env: { ...env, [name]: 'x' } })).toEqual(SILENT)
      expect(seen).toHaveLength(0)
    },
  )

  test('leaves no event behind: what people type is not kept', async () => {
    await runHook({ env })
    expect(readdirSync(folder).filter((name) => name.startsWith('tmp'))).toEqual([])
  })
})

test('S6: without any client it prints nothing and is no deny', async () => {
  expect(await runHook({ env: { PATH: pathOf('sh') } })).toEqual(SILENT)
})

describe.each(['dash', 'bash', 'ksh', 'zsh'])('under %s', (name) => {
  const shell = join(pathOf(name), name)
  test.skipIf(statSync(shell, { throwIfNoEntry: false }) === undefined)('works the same', async () => {
    expect(await runHook({ shell })).toEqual({ code: 0, stdout: `${ANSWER}\n` })
  })
})

test("a person's own curl settings change nothing", async () => {
  writeFileSync(join(folder, '.curlrc'), 'include\nproxy = http://127.0.0.1:9\n')
  expect(await runHook({ env: { HOME: folder, CURL_HOME: folder, http_proxy: 'http://127.0.0.1:9' } })).toEqual({
    code: 0,
    stdout: `${ANSWER}\n`,
  })
})

test('S11 S16: a script or header file that is gone is no deny', async () => {
  deleteHookFiles(hooks)
  try {
    expect(await runHook()).toEqual(SILENT)
    mkdirSync(hooks)
    writeFileSync(join(hooks, HOOK_SCRIPT), 'if then fi (')
    expect(await runHook()).toEqual(SILENT)
    writeHookFiles(hooks, TOKEN)
    rmSync(join(hooks, 'claude-code.header'))
    expect(await runHook()).toEqual(SILENT)
  } finally {
    writeHookFiles(hooks, TOKEN)
  }
})

test('the token stands in private files only, never in an argument', () => {
  expect(statSync(hooks).mode & 0o777).toBe(0o700)
  expect(statSync(join(hooks, 'claude-code.header')).mode & 0o777).toBe(0o600)
  expect(statSync(join(hooks, 'claude-code.wgetrc')).mode & 0o777).toBe(0o600)
  const choice = { transport: 'command', port: 1, token: TOKEN, hooksFolder: hooks, seconds: 1 } as const
  expect(JSON.stringify([...hooksFor(choice)])).not.toContain(TOKEN)
  expect(tokenInHookFiles(hooks)).toBe(TOKEN)
})

test('tells which files are stale', () => {
  expect(staleHookFiles(hooks, TOKEN)).toEqual([])
  expect(staleHookFiles(hooks, 'another')).toEqual(['claude-code.header', 'claude-code.wgetrc'])
  expect(readFileSync(join(hooks, HOOK_SCRIPT), 'utf8')).toContain('#!/bin/sh')
})
