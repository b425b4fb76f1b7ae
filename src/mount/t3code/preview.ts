/**
 * `contextmd/t3code-preview`: ContextMD inside a host that is built with a preview of Effect 4 (`effect/unstable/http`, `effect/unstable/sql`).
 *
 * In the host's `server.ts`: `import { contextmd } from 'contextmd/t3code-preview'`, and `contextmd()` among the routes.
 */
import type { Layer } from 'effect'
import { HttpRouter, HttpServerResponse } from 'effect/unstable/http'
import { SqlClient } from 'effect/unstable/sql'
import type { EffectHttp } from './effect-http.ts'
import { mountLayer } from './mount.ts'
import type { HostTags } from './services.ts'

export type { HostTags } from './services.ts'

export const PREVIEW: EffectHttp<HttpServerResponse.HttpServerResponse, HttpRouter.HttpRouter> = {
  sql: SqlClient.SqlClient,
  // a host has one Effect; only the types of this checkout come from two
  route: (handler) => HttpRouter.add('*', '/contextmd/*', handler as never) as never,
  empty: (head) => HttpServerResponse.empty(head),
  bytes: (body, head) => HttpServerResponse.uint8Array(body, { ...head, contentType: head.headers['content-type'] }),
  stream: (body, head) => HttpServerResponse.stream(body, { ...head, contentType: head.headers['content-type'] }),
}

/** The routes. `tags`: where the host names its services otherwise than `EnvironmentAuth` and `ServerConfig`. */
export function contextmd(tags: HostTags = {}): Layer.Layer<never, never, HttpRouter.HttpRouter> {
  return mountLayer(PREVIEW, tags)
}
