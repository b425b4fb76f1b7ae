/**
 * The one index that joins need in the host's database. It is made at run time, once, after the host has let a moment through: a host that
 * stands by lets none, and a migration of ours would stand in the way of the host's.
 */
import { Effect, Exit, type Context } from 'effect'
import type { Problem } from '../../core/problem.ts'
import { DROP_OLD_INDEX_SQL, RUNNING_INDEX_NAME, RUNNING_INDEX_SQL } from '../../host/t3code/running-index.ts'
import type { HostSql } from './effect-http.ts'

const MISSING: Problem = {
  code: 'host_index_missing',
  severity: 'info',
  message: `The index ${RUNNING_INDEX_NAME} could not be made in the host's database. Moments are joined all the same, with more work.`,
  cure: 'Nothing needs to be done; it is tried again at the next start of the host.',
}

export interface IndexMaker {
  /** To be called after a moment was answered. Does its work once, in the background. */
  activated(): void
  problems(): readonly Problem[]
  /** Resolves when nothing is being made. */
  drain(): Promise<void>
}

export function newIndexMaker(sql: HostSql, context: Context.Context<never>): IndexMaker {
  let making: Promise<void> | null = null
  let hasFailed = false

  async function succeeds(text: string): Promise<boolean> {
    const statement = Effect.suspend(() => sql.unsafe(text).withoutTransform)
    return Exit.isSuccess(await Effect.runPromiseExit(Effect.provideContext(statement, context)))
  }

  async function make(): Promise<void> {
    // one that stays is no reason to go without the new one
    await succeeds(DROP_OLD_INDEX_SQL)
    hasFailed = !(await succeeds(RUNNING_INDEX_SQL))
  }

  return {
    activated: () => void (making ??= make()),
    problems: () => (hasFailed ? [MISSING] : []),
    drain: async () => void (await making),
  }
}
