/**
 * One message of the Model Context Protocol: JSON-RPC 2.0, without batches.
 *
 * The revisions from 2024-11-05 on word the few methods that are served here alike, so nothing else depends on the revision.
 */
import { isObject, objectIn, type Json } from '../../harness/json.ts'

export type Message =
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: Json }
  /** A notification, or the answer to something that was never asked: taken, not answered. */
  | { readonly kind: 'told' }
  | { readonly kind: 'invalid' }

export const RPC_ERRORS = {
  invalid: { code: -32600, message: 'This is no JSON-RPC 2.0 message; several in one list are not taken.' },
  unknownMethod: { code: -32601, message: 'There is no such method here: only tools are served.' },
  unknownTool: { code: -32602, message: 'There is no tool of this name.' },
} as const

/** Newest first. A client that names another one is answered with the newest, and may leave. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export function messageIn(body: unknown): Message {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return { kind: 'invalid' }
  const { id, method, params } = body
  if (id === undefined || method === undefined) return { kind: 'told' }
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return { kind: 'invalid' }
  return { kind: 'request', id, method, params: objectIn(params) }
}

/** The revision to speak, of the one that a client asked for. */
export function revisionFor(asked: unknown): string {
  return REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0]
}
