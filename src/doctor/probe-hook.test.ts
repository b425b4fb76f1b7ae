import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HARNESSES } from '../harness/all.ts'
import { answerProbe, isProbe } from '../engine/probe.ts'
import type { PlacedHook } from '../install/placed-hooks.ts'
import { probeHooks, type Probing } from './probe-hook.ts'
import { probeEvent } from './probe-events.ts'
import { readAnswer } from './probe-answer.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contextmd-probe-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const usual = (more: Partial<Probing> = {}): Probing => ({
  harness: 'grok',
  env: process.env,
  folder,
  isOurs: () => Promise.resolve(true),
  ...more,
})
const command = (line: string): readonly PlacedHook[] => [{ event: 'PreToolUse', hook: { type: 'command', command: line, timeout: 30 } }]

/** A program that answers as hook and server together would: it is given the event and prints what the real renderer makes of it. */
function answering(name: string, harness: Probing['harness'], before = ''): readonly PlacedHook[] {
  const file = join(folder, `${name}.mjs`)
  const engine = new URL('../engine/probe.ts', import.meta.url).href
  const all = new URL('../harness/all.ts', import.meta.url).href
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs'
import { answerProbe } from '${engine}'
import { HARNESSES } from '${all}'
const harness = HARNESSES.find(({ profile }) => profile.name === '${harness}')
const decoded = harness.decode(JSON.parse(readFileSync(0, 'utf8')), 0)
process.stdout.write(${JSON.stringify(before)} + JSON.stringify(answerProbe(harness, decoded.moment).body))
`,
  )
  return command(`'${process.execPath}' '${file}'`)
}

describe('a command hook', () => {
  test.each(['claude-code', 'codex', 'grok'] as const)('of %s that answers', async (harness) => {
    const [probe] = await probeHooks(answering(harness, harness), usual({ harness }))
    expect(probe).toMatchObject({ way: 'command hook', events: ['PreToolUse'], outcome: { state: 'answered' } })
  })

  test('S12: that prints a line before its answer', async () => {
    const [probe] = await probeHooks(answering('noisy', 'grok', 'starting\n'), usual())
    expect(probe?.outcome).toEqual({ state: 'garbled' })
  })

  test.each([
    ['S5: that answers where only a person sees it', `echo '{"hookSpecificOutput":{"additionalContext":"x"}}' >&2`, { state: 'silent' }],
    ['S6: that gives nothing', 'exit 0', { state: 'silent' }],
    ['S16: whose script is gone', 'sh /home/dev/gone/contextmd-hook.sh', { state: 'failed', why: expect.stringContaining('gone') }],
    ['S11: that ends with 2', 'echo no >&2; exit 2', { state: 'failed', exitCode: 2, why: 'no' }],
    ['that ends by a signal', 'kill -9 $$', { state: 'failed', exitCode: null }],
    ['that prints another answer', `echo '{"hookSpecificOutput":{"additionalContext":"x"}}'`, { state: 'misunderstood', text: 'x' }],
    ['that prints no answer of a hook', 'echo {}', { state: 'garbled' }],
    ['that does not read its event', 'exec <&-; exit 0', { state: 'silent' }],
  ])('%s', async (_name, line, outcome) => {
    const [probe] = await probeHooks(command(line), usual())
    expect(probe?.outcome).toMatchObject(outcome)
  })

  test('S8: that hangs is ended with all that it started, after its own limit', async () => {
    const hooks = [{ event: 'PreToolUse', hook: { type: 'command', command: 'cat >/dev/null; while :; do :; done & wait', timeout: 0.2 } }]
    const [probe] = await probeHooks(hooks, usual())
    expect(probe?.outcome).toEqual({ state: 'late', limitMs: 200 })
  })

  test('gets an environment without what switches it off, or makes it stand down', async () => {
    const env = { ...process.env, CONTEXTMD_OFF: '1', GROK_SESSION_ID: 'x', KEPT: '1' }
    const [probe] = await probeHooks(command('[ -z "$CONTEXTMD_OFF$GROK_SESSION_ID" ] && [ -n "$KEPT" ] && exit 3'), usual({ env }))
    expect(probe?.outcome).toMatchObject({ state: 'failed', exitCode: 3 })
  })
})

describe('an http hook', () => {
  async function serve(listener: RequestListener): Promise<readonly PlacedHook[]> {
    const server: Server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.closeAllConnections())
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // a TCP server has one
    const headers = { authorization: 'Bearer cmd_t', 'contextmd-off': '$CONTEXTMD_OFF' }
    return [
      {
        event: 'PreToolUse',
        hook: { type: 'http', url: `http://127.0.0.1:${port}/contextmd/v1/moment?harness=claude-code`, headers, timeout: 30 },
      },
    ]
  }

  test('that is answered: with its token, and with no variable in its headers', async () => {
    const harness = HARNESSES[0]
    const seen: unknown[] = []
    const hooks = await serve((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (part: string) => (text += part))
      request.on('end', () => {
        seen.push(request.headers.authorization, request.headers['contextmd-off'])
        const decoded = harness?.decode(JSON.parse(text), 0)
        const answer = harness !== undefined && decoded?.ok === true ? answerProbe(harness, decoded.moment) : null
        response.end(JSON.stringify(answer?.status === 200 ? answer.body : {}))
      })
    })
    const [probe] = await probeHooks(hooks, usual({ harness: 'claude-code', env: { ...process.env, CONTEXTMD_OFF: '1' } }))
    expect(probe).toMatchObject({ way: 'http hook', outcome: { state: 'answered' } })
    expect(seen).toEqual(['Bearer cmd_t', ''])
  })

  test('that is refused, with the server`s own words', async () => {
    const body = JSON.stringify({ error: { code: 'token_expired', message: 'The token has run out.', requestId: 'x' } })
    const hooks = await serve((_, response) => void response.writeHead(401).end(body))
    const [probe] = await probeHooks(hooks, usual({ harness: 'claude-code' }))
    expect(probe?.outcome).toEqual({ state: 'refused', status: 401, why: 'The token has run out.' })
  })

  test('no token goes to a program that has not proven to be our server', async () => {
    let calls = 0
    const hooks = await serve((_, response) => {
      calls += 1
      response.end()
    })
    const [probe] = await probeHooks(hooks, usual({ harness: 'claude-code', isOurs: () => Promise.resolve(false) }))
    expect(probe?.outcome.state).toBe('skipped')
    expect(calls).toBe(0)
  })

  test('that gets no answer', async () => {
    const hooks = (await serve(() => {})).map(({ event, hook }) => ({ event, hook: { ...hook, timeout: 0.2 } }))
    const [probe] = await probeHooks(hooks, usual({ harness: 'claude-code' }))
    expect(probe?.outcome).toEqual({ state: 'late', limitMs: 200 })
  })
})

test('equal hooks are tried once, with the event that matters most; one to which no answer is due, not at all', async () => {
  const line = 'exit 0'
  const hooks = ['SessionStart', 'Stop', 'PreToolUse'].map((event) => ({ event, hook: { type: 'command', command: line } }))
  const silent = [{ event: 'Stop', hook: { type: 'command', command: 'exit 1' } }]
  expect(await probeHooks([...hooks, ...silent], usual())).toMatchObject([
    { events: ['SessionStart', 'Stop', 'PreToolUse'], outcome: { state: 'silent' } },
  ])
})

test.each(['claude-code', 'codex', 'grok'] as const)(
  'S9: the test moment of %s is what its decoder takes for a call of the shell',
  (name) => {
    const harness = HARNESSES.find(({ profile }) => profile.name === name)
    const probe = probeEvent(name, ['Stop', 'PreToolUse'], '/home/dev/shop')
    const decoded = harness?.decode(probe?.body, 0)
    if (harness === undefined || decoded?.ok !== true) throw new Error('not an event')
    expect(isProbe(decoded.moment)).toBe(true)
    expect(decoded.moment).toMatchObject({ kind: 'before-tool', cwd: '/home/dev/shop', call: { tool: 'shell', command: 'true' } })
    const answer = answerProbe(harness, decoded.moment)
    expect(answer.status).toBe(200)
    if (answer.status === 200)
      expect(readAnswer(JSON.stringify(answer.body), probe?.expected ?? '', 1)).toEqual({ state: 'answered', ms: 1 })
  },
)

test('a home of scripts that nobody may run', async () => {
  const script = join(folder, 'locked', 'contextmd-hook.sh')
  mkdirSync(join(folder, 'locked'))
  writeFileSync(script, 'exit 0\n')
  chmodSync(script, 0o600)
  const [probe] = await probeHooks(command(`'${script}'`), usual())
  expect(probe?.outcome).toMatchObject({ state: 'failed', exitCode: 126 })
})
