/** Requests as bytes, for what no client library would send. */
import type { ContractServer } from './contract.fixture.ts'
import { MOMENT } from './with-server.fixture.ts'

export function rawHead({ port, token }: ContractServer, more: string): string {
  return `POST ${MOMENT} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token('poster')}\r\n${more}\r\n\r\n`
}

export function rawPost(server: ContractServer, body: string): string {
  return rawHead(server, `content-length: ${Buffer.byteLength(body)}`) + body
}
