/**
 * What the mount needs of the modules that Effect has moved (`effect/unstable/http` became `effect/http`, `effect/unstable/sql`
 * became `effect/sql`). Each entry of the package hands over those of its generation; everything else is shared.
 *
 * The shapes are structural and small: what both generations have (4.0.0-beta.102 and 4.1.0).
 */
import type { Context, Effect, Layer, Stream } from 'effect'

/** A request as Effect gives it to a route. */
export interface HostRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Node's `IncomingMessage` where the host stands on Node's server. */
  readonly source: object
  readonly stream: Stream.Stream<Uint8Array, unknown>
}

export interface HostStatement {
  /** Rows with the database's own column names. Never fails in the type, but does. */
  readonly withoutTransform: Effect.Effect<readonly object[], unknown>
}

/** The host's database client: `SqlClient` of `effect/sql`. */
export interface HostSql {
  unsafe(sql: string, params?: readonly unknown[]): HostStatement
}

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** `Answer`: the response of this generation. `Router`: its router's identifier. */
export interface EffectHttp<Answer, Router> {
  readonly sql: Pick<Context.Key<unknown, unknown>, 'key'>
  /** A layer that adds a route for all methods and all paths below `/contextmd`. */
  readonly route: (handler: (request: HostRequest) => Effect.Effect<Answer>) => Layer.Layer<never, never, Router>
  readonly empty: (head: Head) => Answer
  readonly bytes: (body: Uint8Array, head: Head) => Answer
  readonly stream: (body: Stream.Stream<Uint8Array, unknown>, head: Head) => Answer
}
