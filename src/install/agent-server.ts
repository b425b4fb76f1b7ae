/** Our endpoint for agents in a harness's own list of MCP servers: where it stands there, and in which form. */
import type { HarnessName } from '../core/id.ts'
import { isRecord } from './hook.ts'

/** Its key in the list. */
export const AGENT_SERVER = 'contextmd'
const AGENT_PATH = '/contextmd/mcp'

export interface AgentPlace {
  readonly file: string
  readonly format: 'json' | 'toml'
  /** From the top of the file to our entry. */
  readonly keys: readonly string[]
}

/** Where the harness and the person are. */
export interface AgentLayers {
  /** The harness's settings folder. */
  readonly folder: string
  /** A variable of the environment names it. */
  readonly isFolderNamed: boolean
  readonly home: string
  readonly project: string
}

export interface AgentWish {
  readonly port: number
  readonly token: string
  /** Private file that holds nothing but the token. */
  readonly tokenFile: string
}

/** What a harness takes for a server over HTTP. */
export interface AgentServer {
  readonly url: string
  readonly [key: string]: unknown
}

export function agentAddress(harness: HarnessName, port: number): string {
  return `http://127.0.0.1:${port}${AGENT_PATH}?harness=${harness}`
}

/** The port of an entry of ours, of any version; null for one of somebody else. */
export function portOfServer(server: unknown): number | null {
  if (!isRecord(server) || typeof server['url'] !== 'string') return null
  const port = /^http:\/\/(?:127\.0\.0\.1|localhost):(\d+)\/contextmd\/mcp(?:\?|$)/.exec(server['url'])?.[1]
  return port === undefined ? null : Number(port)
}
