/**
 * Reads a request's body as JSON, counting while it reads.
 *
 * A chunked body tells no length, and one that tells a length next to chunks is read as chunks (RFC 9112, section 6.3), so only the
 * count of what came holds (S2). What is left unread is drained and bounded by the HTTP server below.
 */
import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES, type FailureCode } from './failure.ts'
import { isWithinShape } from './json-shape.ts'

export type Body =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly failure: Extract<FailureCode, 'body_empty' | 'body_not_json' | 'body_incomplete' | 'body_too_large' | 'body_too_nested'>
    }

/** Leaves out the mark of byte order that some programs put before JSON. */
const UTF8 = new TextDecoder()
const TOO_LARGE: Body = { ok: false, failure: 'body_too_large' }

export async function readJson(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  return parse(await readBytes(request, maxBytes))
}

/** The same from a request of Node's server. What comes behind the limit is not kept; whoever answers ends it. */
export async function readIncomingJson(incoming: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  return parse(await readIncoming(incoming, maxBytes))
}

function parse(bytes: Uint8Array | 'incomplete' | 'too-large'): Body {
  if (bytes === 'incomplete') return { ok: false, failure: 'body_incomplete' }
  if (bytes === 'too-large') return TOO_LARGE
  if (bytes.byteLength === 0) return { ok: false, failure: 'body_empty' }
  if (!isWithinShape(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) return { ok: false, failure: 'body_too_nested' }
  try {
    return { ok: true, value: JSON.parse(UTF8.decode(bytes)) }
  } catch {
    return { ok: false, failure: 'body_not_json' }
  }
}

function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array | 'too-large' | 'incomplete'> {
  // with chunks Node hands on no length
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= maxBytes) return void chunks.push(chunk)
      chunks.length = 0
      resolve('too-large')
    })
    incoming.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    incoming.on('error', () => resolve('incomplete'))
    incoming.on('close', () => resolve('incomplete'))
  })
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | 'too-large' | 'incomplete'> {
  const length = request.headers.has('transfer-encoding') ? null : Number(request.headers.get('content-length') ?? 0)
  if (length !== null && length > maxBytes) return 'too-large'
  try {
    // With a length the HTTP parser itself stops there, and reading in one go is several times faster than by chunks.
    if (length !== null) return new Uint8Array(await request.arrayBuffer())
    return await readChunks(request, maxBytes)
  } catch {
    // Both readers fail in one case only: the connection broke.
    return 'incomplete'
  }
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks, size)
    size += value.byteLength
    if (size > maxBytes) {
      // The lock goes, the stream stays: cancelling it would reset the connection before the answer is out.
      reader.releaseLock()
      return 'too-large'
    }
    chunks.push(value)
  }
}
