/**
 * The leanest HTTP client there is: one kept connection, one request at a time, nothing but the bytes.
 *
 * What it measures is the server and the loopback, hardly itself.
 */
import { connect, type Socket } from 'node:net'

export interface BareAnswer {
  readonly status: number
  readonly body: string
  /** From the write of the request to the last byte of the answer. */
  readonly ms: number
}

export interface BareClient {
  post(body: string): Promise<BareAnswer>
  close(): void
}

const HEAD_END = '\r\n\r\n'

/** `path` and `token` are the same for all requests. Rejects what the connection rejects. */
export async function openBareClient(port: number, path: string, token: string): Promise<BareClient> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  return {
    async post(body) {
      const from = performance.now()
      const answer = readAnswer(socket)
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`)
      const { status, body: text } = await answer
      return { status, body: text, ms: performance.now() - from }
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(socket: Socket): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk)
      const whole = parse(Buffer.concat(chunks).toString('latin1'))
      if (whole === null) return
      end()
      resolve(whole)
    }
    const onClose = (): void => {
      end()
      reject(new Error('The server closed the connection before it had answered.'))
    }
    const end = (): void => void socket.off('data', onData).off('close', onClose).off('error', onClose)
    socket.on('data', onData).on('close', onClose).on('error', onClose)
  })
}

/** Null while a part is missing. Latin-1 keeps bytes countable; the text is decoded at the end. */
function parse(received: string): { readonly status: number; readonly body: string } | null {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const head = received.slice(0, headEnd)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const body = received.slice(headEnd + HEAD_END.length)
  if (body.length < length) return null
  return { status: Number(head.slice(9, 12)), body: Buffer.from(body, 'latin1').toString('utf8') }
}
