/**
 * The one index that a host has no equal of: its running attempts by native session id.
 *
 * Only a mount inside the host creates it, after the server is active and never in a migration; whoever reads finds and uses it. Whatever
 * stands in a row, the expression gives a value: an index that throws would make the host's own insert fail.
 */
import { ATTEMPT_SESSION, ATTEMPTS } from './tables.ts'

/** Written in the index and in questions alike, so that the planner finds it. */
export const ATTEMPT_SESSION_SQL = `CASE WHEN json_valid(payload_json) THEN json_extract(payload_json, '${ATTEMPT_SESSION}') END`

export const RUNNING_INDEX_NAME = 'contextmd_running_sessions_idx'
export const RUNNING_INDEX_SQL = `CREATE INDEX IF NOT EXISTS ${RUNNING_INDEX_NAME}
  ON ${ATTEMPTS}(${ATTEMPT_SESSION_SQL}) WHERE status = 'running'`

/** An earlier form, which threw at JSON that is none. */
export const DROP_OLD_INDEX_SQL = 'DROP INDEX IF EXISTS contextmd_running_attempts_idx'
