/**
 * The one index that a host has no equal of: its running attempts by native session id.
 *
 * Only a mount inside the host creates it, after the server is active and never in a migration; whoever reads finds and uses it.
 */
import { ATTEMPT_SESSION, ATTEMPTS } from './tables.ts'

export const RUNNING_INDEX_NAME = 'contextmd_running_attempts_idx'
export const RUNNING_INDEX_SQL = `CREATE INDEX IF NOT EXISTS ${RUNNING_INDEX_NAME}
  ON ${ATTEMPTS}(json_extract(payload_json, '${ATTEMPT_SESSION}')) WHERE status = 'running'`
