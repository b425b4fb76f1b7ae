/** A standalone server in a process of its own that answers one moment, and tells what of Effect was loaded on the way. */
import { mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const loaded: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    if (/^@?effect(\/|$)/.test(specifier)) loaded.push(specifier)
    return next(specifier, context)
  },
})

const home = mkdtempSync(join(tmpdir(), 'contextmd-standalone-'))
const env = { HOME: home, CONTEXTMD_DATA: join(home, 'data') }
const { openEngine, openTokens, pathsFrom, startServer } = await import('../../index.ts')
const paths = pathsFrom(env)
const now = () => Date.now()
const tokens = openTokens(paths.tokens, { now })
const open = () => openEngine({ paths, version: '0.0.0', now, tokens, env })
const server = await startServer({ paths, port: 0, version: '0.0.0', now, tokens, openEngine: open, report: () => {} })
const { token } = tokens.issue({ name: 'test', scopes: ['orchestration:read'], days: 1 })
const event = { session_id: 's', transcript_path: join(home, 's.jsonl'), cwd: home, hook_event_name: 'Stop' }
const response = await fetch(`${server.address}/contextmd/v1/moment?harness=claude-code`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}` },
  body: JSON.stringify(event),
})
await server.close()
rmSync(home, { recursive: true, force: true })
console.log(JSON.stringify({ status: response.status, loaded }))
