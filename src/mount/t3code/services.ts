/**
 * The host's own services, as far as the mount needs them: who may call, where state lies, the database.
 *
 * Their tags stand in the host's code, so they are found by what they can do, the ones with the usual names first (`EnvironmentAuth`,
 * `ServerConfig`), or by the tags that the host hands over. What is not there is null: the host must start all the same.
 */
import type { Context, Effect } from 'effect'
import type { HostRequest, HostSql } from './effect-http.ts'

/** A tag of the host: only its key is needed. */
export interface HostTag {
  readonly key: string
}

/** For hosts that name their services otherwise. */
export interface HostTags {
  readonly auth?: HostTag
  readonly config?: HostTag
}

/** Succeeds with what the host knows of the caller (`{sessionId, subject, method, scopes, expiresAt?}`), or fails. */
export type Authenticate = (request: HostRequest) => Effect.Effect<unknown, unknown>

interface HostAuth {
  authenticateHttpRequest: Authenticate
}

interface HostConfig {
  readonly stateDir: string
}

export interface HostServices {
  readonly authenticate: Authenticate | null
  /** The folder of the host's own state. */
  readonly stateDir: string | null
  readonly sql: HostSql | null
}

export function findServices(context: Context.Context<never>, tags: HostTags, sqlTag: HostTag): HostServices {
  const auth = find(context, tags.auth, 'EnvironmentAuth', isAuth)
  const sql = context.mapUnsafe.get(sqlTag.key) as unknown
  return {
    authenticate: auth === null ? null : (request) => auth.authenticateHttpRequest(request),
    stateDir: find(context, tags.config, 'ServerConfig', isConfig)?.stateDir ?? null,
    sql: fits(sql, isSql) ? sql : null,
  }
}

type Shape<T> = (value: object) => value is object & T

function find<T>(context: Context.Context<never>, tag: HostTag | undefined, name: string, shape: Shape<T>): T | null {
  const found: [string, T][] = []
  for (const [key, value] of context.mapUnsafe as ReadonlyMap<string, unknown>) if (fits(value, shape)) found.push([key, value])
  if (tag !== undefined) return found.find(([key]) => key === tag.key)?.[1] ?? null
  const usual = found.find(([key]) => key.split(/[/.:#@]/).at(-1) === name)
  return (usual ?? found[0])?.[1] ?? null
}

/** A service may be anything, also something that throws when it is looked at. */
function fits<T>(value: unknown, shape: Shape<T>): value is T {
  try {
    return ((typeof value === 'object' && value !== null) || typeof value === 'function') && shape(value)
  } catch {
    return false
  }
}

// The types are the host's promise: an answer of another form counts as refused, a query that fails as unreadable.
function isAuth(value: object): value is HostAuth {
  return 'authenticateHttpRequest' in value && typeof value.authenticateHttpRequest === 'function'
}

function isSql(value: object): value is HostSql {
  return 'unsafe' in value && typeof value.unsafe === 'function'
}

function isConfig(value: object): value is HostConfig {
  return 'stateDir' in value && typeof value.stateDir === 'string' && value.stateDir !== ''
}
