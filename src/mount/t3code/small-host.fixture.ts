/** A small host on stable Effect, built as the real one: routes merged into one layer, shared services below it, Node's server at its foot. */
import { createServer } from 'node:http'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { NodeHttpServer } from '@effect/platform-node'
import { Context, Effect, Exit, Layer, Scope, Semaphore, Stream } from 'effect'
import { HttpRouter, HttpServerRequest, HttpServerResponse } from 'effect/http'
import { Reactivity } from 'effect/reactivity'
import { SqlClient, SqlError, Statement } from 'effect/sql'
import { authenticate, giveToken, isRefusal, type HostRefusal, type HostSession } from './host-auth.fixture.ts'
import type { World } from './world.fixture.ts'

export class EnvironmentAuth extends Context.Service<
  EnvironmentAuth,
  { readonly authenticateHttpRequest: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HostSession, HostRefusal> }
>()('t3/auth/EnvironmentAuth') {}

export class ServerConfig extends Context.Service<ServerConfig, { readonly stateDir: string; readonly port: number }>()(
  't3/config/ServerConfig',
) {}

/** Its folders: all that it needs of a world. */
export type HostFolders = Pick<World, 'stateDir' | 'database'>

const authLayer = (stateDir: string) =>
  Layer.succeed(EnvironmentAuth)({
    authenticateHttpRequest: (request) => {
      const found = authenticate(request.headers, stateDir)
      return isRefusal(found) ? Effect.fail(found) : Effect.succeed(found)
    },
  })

/** `POST /oauth/token`, as the host has it. */
const tokenRoute = (stateDir: string, given: string | undefined) =>
  HttpRouter.add('POST', '/oauth/token', (request) =>
    Effect.map(Effect.orDie(request.text), (text) => {
      const { status, body } = giveToken(stateDir, new URLSearchParams(text), given)
      return HttpServerResponse.jsonUnsafe(body, { status })
    }),
  )

export interface SmallHostOptions {
  readonly port?: number
  /** When it stops it waits for open answers before its routes are closed, up to 20 s: as a host does that sets nothing. */
  readonly waitsForAnswers?: boolean
  /** What its auth gives in place of the scope that was asked for. */
  readonly givenScope?: string
  readonly serverVersion?: string
}

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
        driver: 'node:sqlite',
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
  world: HostFolders,
  mounted: Layer.Layer<never, never, HttpRouter.HttpRouter>,
  services: Layer.Layer<Services> = hostServices(world),
  { port: wanted = 0, waitsForAnswers = false, givenScope, serverVersion }: SmallHostOptions = {},
): Promise<SmallHost> {
  const server = createServer()
  const routes = Layer.mergeAll(
    HttpRouter.add(
      'GET',
      '/.well-known/t3/environment',
      HttpServerResponse.jsonUnsafe({ environmentId: 'small-host', ...(serverVersion && { serverVersion }) }),
    ),
    tokenRoute(world.stateDir, givenScope),
    HttpRouter.add('GET', '*', HttpServerResponse.text('no web build is present', { status: 503 })),
    HttpRouter.cors(),
    mounted,
  )
  const served = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => server, { port: wanted, host: '127.0.0.1', disablePreemptiveShutdown: !waitsForAnswers })),
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

export function hostServices(world: HostFolders): Layer.Layer<Services> {
  const config = Layer.succeed(ServerConfig)({ stateDir: world.stateDir, port: 3773 })
  return Layer.mergeAll(authLayer(world.stateDir), config, sqlLayer(world.database))
}
