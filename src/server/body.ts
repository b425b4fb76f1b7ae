/**
 * Reads a request's body as JSON, counting while it reads.
 *
 * A chunked body tells no length, and one that tells a length next to chunks is read as chunks (RFC 9112, section 6.3), so only the
 * count of what came holds (S2). What is left unread is drained and bounded by the HTTP server below.
 */
import { MAX_BODY_BYTES, type FailureCode } from './failure.ts'
import { isWithinShape } from './json-shape.ts'

export type Body =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly failure: Extract<FailureCode, 'body_empty' | 'body_not_json' | 'body_incomplete' | 'body_too_large' | 'body_too_nested'>
    }

const TOO_LARGE: Body = { ok: false, failure: 'body_too_large' }

export async function readJson(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Body> {
  const bytes = await readBytes(request, maxBytes)
  if (bytes === 'incomplete') return { ok: false, failure: 'body_incomplete' }
  if (bytes === 'too-large') return TOO_LARGE
  if (bytes.byteLength === 0) return { ok: false, failure: 'body_empty' }
  if (!isWithinShape(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) return { ok: false, failure: 'body_too_nested' }
  try {
    return { ok: true, value: JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return { ok: false, failure: 'body_not_json' }
  }
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
