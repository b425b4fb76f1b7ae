/** `GET /contextmd/v1/proof?nonce=…`: shows a client that this server is ours, before the client sends anything of worth. */
import type { Handler } from 'hono'
import { isNonce, PROCESS_HEADER } from '../proof.ts'
import type { ServerEnv } from './app.ts'
import { refuse } from './failure.ts'

/** Gives the answer to a nonce; null where the server has no key. */
export type Prove = (nonce: string) => string | null

/** `pid`: of the process that a command may end; null: none. Plain text, which a shell can compare. It needs no token: the client has none to show before it has the answer. */
export function proofRoute(prove: Prove, pid: number | null): Handler<ServerEnv> {
  const headers = pid === null ? {} : { [PROCESS_HEADER]: String(pid) }
  return (c) => {
    const nonce = c.req.query('nonce') ?? ''
    if (!isNonce(nonce)) return refuse(c, 'query_invalid')
    const proof = prove(nonce)
    return proof === null ? refuse(c, 'route_unknown') : c.text(proof, 200, headers)
  }
}
