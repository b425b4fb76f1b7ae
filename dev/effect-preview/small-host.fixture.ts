/** A small host on a preview of Effect, built as the real one: routes merged into one layer, shared services below it, Node's server at its foot. */
import { createServer } from 'node:http'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { NodeHttpServer } from '@effect/platform-node'
import { Context, Effect, Exit, Layer, Scope, Semaphore, Stream } from 'effect'
import { HttpRouter, HttpServerRequest, HttpServerResponse } from 'effect/unstable/http'
import { Reactivity } from 'effect/unstable/reactivity'
import { SqlClient, SqlError, Statement } from 'effect/unstable/sql'
import { authenticate, isRefusal, type HostRefusal, type HostSession, type World } from '../../src/mount/t3code/world.fixture.ts'

export class EnvironmentAuth extends Context.Service<
  EnvironmentAuth,
  { readonly authenticateHttpRequest: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HostSession, HostRefusal> }
>()('t3/auth/EnvironmentAuth') {}

export class ServerConfig extends Context.Service<ServerConfig, { readonly stateDir: string; readonly port: number }>()(
  't3/config/ServerConfig',
) {}

const authLayer = Layer.succeed(EnvironmentAuth)({
  authenticateHttpRequest: (request) => {
    const found = authenticate(request.headers)
    return isRefusal(found) ? Effect.fail(found) : Effect.succeed(found)
  },
})

/** One synchronous handle; transactions are serialized, and statements of others wait for them. */
function sqlLayer(file: string) {
  return Layer.effect(SqlClient.SqlClient)(
    Effect.gen(function* () {
      const open = Effect.sync(() => new DatabaseSync(file))
      const database = yield* Effect.acquireRelease(open, (opened) => Effect.sync(() => opened.close()))
      const prepared = new Map<string, StatementSync>()
      const prepare = (sql: string): StatementSync => {
        const statement = prepared.get(sql) ?? database.prepare(sql)
        prepared.set(sql, statement)
        return statement
      }
      const run = (sql: string, params: readonly unknown[]) =>
        Effect.try({
          // what the client binds are values of SQLite
          try: () => prepare(sql).all(...(params as SQLInputValue[])),
          catch: (cause) => new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause) }),
        })
      const values = (sql: string, params: readonly unknown[]) =>
        Effect.map(run(sql, params), (rows) => rows.map((row) => Object.values(row)))
      const connection = {
        execute: run,
        executeRaw: run,
        executeStream: () => Stream.die('not in tests'),
        executeValues: values,
        executeValuesUnprepared: values,
        executeUnprepared: run,
      }
      const semaphore = Semaphore.makeUnsafe(1)
      return yield* SqlClient.make({
        acquirer: semaphore.withPermits(1)(Effect.succeed(connection)),
        transactionAcquirer: Effect.as(
          Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1)),
          connection,
        ),
        compiler: Statement.makeCompilerSqlite(),
        spanAttributes: [],
      })
    }),
  ).pipe(Layer.provide(Reactivity.layer))
}

export interface SmallHost {
  readonly address: string
  readonly port: number
  /** Runs something while another part of the host is in a transaction. */
  busy(during: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

type Services = EnvironmentAuth | ServerConfig | SqlClient.SqlClient

/** `mounted`: the one entry among the host's routes. */
export async function startSmallHost(
  world: World,
  mounted: Layer.Layer<never, never, HttpRouter.HttpRouter>,
  services: Layer.Layer<Services> = hostServices(world),
): Promise<SmallHost> {
  const server = createServer()
  const routes = Layer.mergeAll(
    HttpRouter.add('GET', '/.well-known/t3/environment', HttpServerResponse.jsonUnsafe({ environmentId: 'small-host' })),
    HttpRouter.add('GET', '*', HttpServerResponse.text('no web build is present', { status: 503 })),
    HttpRouter.cors(),
    mounted,
  )
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { port: 0, host: '127.0.0.1', disablePreemptiveShutdown: true })),
    Layer.provideMerge(services),
  )
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(served, scope))
  const sql = Context.get(context, SqlClient.SqlClient)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  let closed: Promise<void> | null = null
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    busy: (during) => Effect.runPromise(sql.withTransaction(Effect.promise(during))),
    close: () => (closed ??= Effect.runPromise(Scope.close(scope, Exit.void))),
  }
}

export function hostServices(world: World): Layer.Layer<Services> {
  const config = Layer.succeed(ServerConfig)({ stateDir: world.stateDir, port: 3773 })
  return Layer.mergeAll(authLayer, config, sqlLayer(world.database))
}
