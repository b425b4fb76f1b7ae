/**
 * Our MCP servers in Codex's own `config.toml`, which Codex itself edits: comments, order and format of the rest stay.
 *
 * The token stands there as a static header, in a file that Codex keeps for the person alone.
 */
import { objectIn, textIn, type Json } from './json.ts'
import type { Rpc } from './rpc.ts'

/** A server of the loopback address answers at once; on a machine that does much else, later. By default Codex would wait 30 s (measured). */
const STARTING_SECONDS = 2

export interface McpServer {
  /** Key below `mcp_servers`. */
  readonly name: string
  readonly address: string
  readonly token: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** `foreign`: another server stands there under this name, and was left as it is. */
export async function registerServer(rpc: Rpc, server: McpServer): Promise<'written' | 'there' | 'foreign'> {
  const wanted = valueOf(server)
  const present = await serverIn(rpc, server.name)
  if (present !== null && !isOurs(present)) return 'foreign'
  if (present !== null && isSame(present, wanted)) return 'there'
  await rpc.call('config/batchWrite', { edits: [{ keyPath: keyOf(server.name), value: wanted, mergeStrategy: 'replace' }] })
  return 'written'
}

/** True if there was one of ours. */
export async function unregisterServer(rpc: Rpc, name: string): Promise<boolean> {
  const present = await serverIn(rpc, name)
  if (present === null || !isOurs(present)) return false
  await rpc.call('config/batchWrite', { edits: [{ keyPath: keyOf(name), value: null, mergeStrategy: 'replace' }] })
  return true
}

function valueOf({ address, token, seconds }: McpServer): Json {
  return {
    url: address,
    startup_timeout_sec: Math.ceil(seconds) + STARTING_SECONDS,
    http_headers: { authorization: `Bearer ${token}` },
    // the server is still told, so that the log shows what a person switched off
    env_http_headers: { 'contextmd-off': 'CONTEXTMD_OFF' },
  }
}

async function serverIn(rpc: Rpc, name: string): Promise<Json | null> {
  const config = objectIn(objectIn(await rpc.call('config/read', { includeLayers: false }))['config'])
  const server = objectIn(config['mcp_servers'])[name]
  return server === undefined || server === null ? null : objectIn(server)
}

function isOurs(server: Json): boolean {
  return /^http:\/\/127\.0\.0\.1:\d+\/contextmd\//.test(textIn(server['url']) ?? '')
}

/** Codex tells more keys than were written. */
function isSame(present: Json, wanted: Json): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    typeof value === 'object' ? isSame(objectIn(present[key]), objectIn(value)) : present[key] === value,
  )
}

function keyOf(name: string): string {
  return `mcp_servers.${name}`
}
