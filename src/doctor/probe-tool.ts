/** A test moment through a hook of type `mcp_tool`, as Codex would call it: by the server and the token in its own settings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeFrom } from '../paths.ts'
import { HOOK_SERVER, isRecord } from '../install/hook.ts'
import type { PlacedHook } from '../install/placed-hooks.ts'
import type { ProbeEvent } from './probe-events.ts'

export interface ToolCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `why`: a sentence about what is missing for the call. */
export type Prepared = { readonly ok: true; readonly call: ToolCall } | { readonly ok: false; readonly why: string }

/** The call that the harness would make. */
export function prepareToolCall(hook: PlacedHook['hook'], { body }: ProbeEvent, env: NodeJS.ProcessEnv): Prepared {
  const server = serverIn(configOf(env))
  if (server === null)
    return { ok: false, why: `[mcp_servers.${HOOK_SERVER}] is missing in Codex's config.toml, or is not as setup wrote it` }
  const input = filled(hook['input'], body)
  if (input === null) return { ok: false, why: 'its input names a field that the event does not have' }
  const params = { _meta: { threadId: input['session_id'] }, name: hook['tool'], arguments: input }
  return {
    ok: true,
    call: {
      url: server.url,
      headers: { authorization: `Bearer ${server.token}`, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    },
  }
}

/** The text of the tool's result; empty where there is none. */
export function textOfResult(answer: string): string {
  try {
    const value: unknown = JSON.parse(answer)
    const result = isRecord(value) ? value['result'] : null
    const content = isRecord(result) ? result['content'] : null
    const first: unknown = Array.isArray(content) ? content[0] : null
    return isRecord(first) && typeof first['text'] === 'string' ? first['text'] : ''
  } catch {
    return ''
  }
}

function configOf(env: NodeJS.ProcessEnv): string {
  try {
    return readFileSync(join(env['CODEX_HOME'] || join(homeFrom(env), '.codex'), 'config.toml'), 'utf8')
  } catch {
    return ''
  }
}

/** As Codex writes them, each value in a line of its own. */
function serverIn(config: string): { readonly url: string; readonly token: string } | null {
  const tables = config.split(/^(?=\[)/m)
  const table = (name: string) => tables.find((text) => text.startsWith(`[mcp_servers.${HOOK_SERVER}${name}]`)) ?? ''
  const url = /^url = "(http:\/\/127\.0\.0\.1:\d+\/[^"]*)"/m.exec(table(''))?.[1]
  const token = /^authorization = "Bearer ([^"]+)"/m.exec(table('.http_headers'))?.[1]
  return url === undefined || token === undefined ? null : { url, token }
}

/** The template with the event's values; null where one is missing, which fails the hook. */
function filled(template: unknown, event: object): Readonly<Record<string, unknown>> | null {
  if (!isRecord(template)) return null
  const values = new Map<string, unknown>(Object.entries(event))
  const input: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(template)) {
    const field = /^\$\{(\w+)\}$/.exec(String(value))?.[1]
    if (field !== undefined && !values.has(field)) return null
    input[key] = field === undefined ? value : values.get(field)
  }
  return input
}
