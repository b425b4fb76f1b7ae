/**
 * `contextmd/t3code`: ContextMD inside a host that is built with stable Effect 4 (`effect/http`, `effect/sql`).
 *
 * In the host's `server.ts`: `import { contextmd } from 'contextmd/t3code'`, and `contextmd()` among the routes.
 */
import type { Layer } from 'effect'
import { HttpRouter, HttpServerResponse } from 'effect/http'
import { SqlClient } from 'effect/sql'
import type { EffectHttp } from './effect-http.ts'
import { mountLayer } from './mount.ts'
import type { HostTags } from './services.ts'

export type { HostTags } from './services.ts'

export const STABLE: EffectHttp<HttpServerResponse.HttpServerResponse, HttpRouter.HttpRouter> = {
  sql: SqlClient.SqlClient,
  route: (handler) => HttpRouter.add('*', '/contextmd/*', handler),
  empty: (head) => HttpServerResponse.empty(head),
  bytes: (body, head) => HttpServerResponse.uint8Array(body, { ...head, contentType: head.headers['content-type'] }),
  stream: (body, head) => HttpServerResponse.stream(body, { ...head, contentType: head.headers['content-type'] }),
}

/** The routes. `tags`: where the host names its services otherwise than `EnvironmentAuth` and `ServerConfig`. */
export function contextmd(tags: HostTags = {}): Layer.Layer<never, never, HttpRouter.HttpRouter> {
  return mountLayer(STABLE, tags)
}
