/**
 * Opens the engine inside a host: the host's database for joins, its state folder for ours, its tokens in place of our own.
 *
 * Loaded only when the mount's layer is built, so that a host starts also where this can't be loaded. Throws what `openEngine` throws.
 */
import type { Context } from 'effect'
import type { Millis } from '../../core/id.ts'
import { hostSettingIn } from '../../engine/host-setting.ts'
import { openEngine, patienceIn } from '../../engine/open.ts'
import { t3codeHost } from '../../host/t3code/t3code.ts'
import { mishapFrom, newRequestId, type Mishap } from '../../server/failure.ts'
import { DEADLINE_MS } from '../../server/moment.ts'
import { pathsFrom } from '../../paths.ts'
import { announce } from './announcing.ts'
import type { HostSql } from './effect-http.ts'
import { hostRows } from './host-rows.ts'
import { newHostTokens } from './host-tokens.ts'
import type { Inside } from './inside.ts'
import { ownVersion, pathsInside } from './place.ts'
import { openOwnKey } from './own-key.ts'
import { newIndexMaker } from './running-index-maker.ts'
import { serveInside } from './serve-inside.ts'

export interface OpenInside {
  readonly stateDir: string
  readonly sql: HostSql
  readonly context: Context.Context<never>
  readonly env: NodeJS.ProcessEnv
  readonly now: () => Millis
  /** Gets every failure that nobody foresaw; nothing of an event is in it. */
  readonly report: (mishap: Mishap) => void
}

export function openInside({ stateDir, sql, context, env, now, report }: OpenInside): Inside {
  const tokens = newHostTokens(now)
  const rows = hostRows(sql, context)
  const index = newIndexMaker(sql, context)
  const paths = pathsInside(stateDir, env)
  const setting = hostSettingIn(paths, env, now)
  const own = pathsFrom(env)
  const key = openOwnKey(own.key)
  const version = ownVersion()
  const announcer = announce({ paths: own, key, stateDir, version, now })
  const host = t3codeHost({ rows, inside: true, servesOthers: () => setting().others, now })
  const open = () =>
    openEngine({
      paths,
      version,
      now,
      otherProblems: () => [...tokens.problems(), ...index.problems(), ...announcer.problems()],
      env,
      host,
      ownInside: { data: own.data, stateDir },
      onError: (thrown) => report(mishapFrom(thrown, 'engine', newRequestId())),
    })
  const engine = closingOnFailure(open, () => {
    announcer.close()
    host.close?.()
    rows.close()
  })
  const served = serveInside({
    engine,
    saw: tokens.saw,
    refused: tokens.refused,
    now,
    report,
    key: key.current,
    onPort: announcer.saw,
    onClosing: announcer.close,
    deadlineMs: DEADLINE_MS * patienceIn(env),
  })
  return {
    async fetch(request, call) {
      const response = await served.fetch(request, call)
      if (response.ok && request.method === 'POST') index.activated()
      return response
    },
    async close() {
      announcer.close()
      await served.close()
      await index.drain()
      rows.close()
    },
  }
}

/** What was opened on the way to a failure is closed before it is thrown on. */
function closingOnFailure<T>(open: () => T, close: () => void): T {
  try {
    return open()
  } catch (error) {
    close()
    throw error
  }
}
