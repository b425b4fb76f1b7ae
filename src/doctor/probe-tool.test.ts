import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../engine/open.ts'
import { mcpHook } from '../harness/codex/mcp-hooks.ts'
import { hookKeyOf } from '../harness/hook-key.ts'
import type { PlacedHook } from '../install/placed-hooks.ts'
import { withServer, type TestServer } from '../server/with-server.fixture.ts'
import { temporaryPaths } from '../server/with-server.fixture.ts'
import { probeHooks } from './probe-hook.ts'

/** A real server with a real engine. */
async function realServer(): Promise<TestServer> {
  const paths = temporaryPaths()
  const now = () => 1_000
  const env = { HOME: dirname(paths.data) }
  return withServer(undefined, { paths, now, openEngine: () => openEngine({ paths, version: '0', now, env }) })
}

/** The environment of a Codex whose settings are these. */
function codexWith(config: string): NodeJS.ProcessEnv {
  const home = mkdtempSync(join(tmpdir(), 'contextmd-probe-tool-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'config.toml'), config)
  return { CODEX_HOME: home }
}

/** As Codex writes it (0.171.0). */
const settings = (address: string, token: string) => `model = "x"

[mcp_servers.contextmd_hooks]
url = "${address}/contextmd/hook-mcp?harness=codex"
startup_timeout_sec = 3

[mcp_servers.contextmd_hooks.http_headers]
authorization = "Bearer ${token}"

[mcp_servers.other]
url = "http://127.0.0.1:1/"
`

async function probe(env: NodeJS.ProcessEnv, hook: object) {
  const placed: PlacedHook = { event: 'PreToolUse', hook: { ...hook } }
  const [one] = await probeHooks([placed], { harness: 'codex', env, folder: '/', isOurs: () => Promise.resolve(true) })
  return one
}

test('a hook that calls our tool is tried by the server and the token in Codex`s settings', async () => {
  const server = await realServer()
  const token = server.token('poster')
  const hook = { ...mcpHook('PreToolUse', { key: hookKeyOf(token), seconds: 30 }) }
  const env = codexWith(settings(server.address, token))
  expect(await probe(env, hook)).toMatchObject({ way: 'mcp_tool hook', outcome: { state: 'answered' } })
  expect(await probe(env, { ...hook, input: { ...hook.input, key: 'old' } })).toMatchObject({ outcome: { state: 'silent' } })
  expect(await probe(codexWith(settings(server.address, 'cmd_old')), hook)).toMatchObject({ outcome: { state: 'refused', status: 401 } })
})

test('what is missing is told', async () => {
  const hook = { ...mcpHook('PreToolUse', { key: 'k', seconds: 1 }) }
  expect(await probe(codexWith(''), hook)).toMatchObject({
    outcome: { state: 'failed', why: expect.stringContaining('is missing in Codex') },
  })
  const env = codexWith(settings('http://127.0.0.1:1', 't'))
  expect(await probe(env, { ...hook, input: { a: '${agent_id}' } })).toMatchObject({
    outcome: { state: 'failed', why: expect.stringContaining('names a field') },
  })
})
