/**
 * OpenCode's records: the table `event` of `DATA/opencode/opencode.db`. A context's records are named `DATABASE#SESSION`.
 *
 * DATA is `~/.local/share`, or what `XDG_DATA_HOME` or `OPENCODE_DB` said to a process that is not ours, so any folder may hold it.
 */
import { isAbsolute, normalize } from 'node:path'
import type { Records } from '../../harness.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { SessionLog } from './records-database.ts'
import { SessionScan } from './records-scan.ts'

const RECORDS = /^(.*\/opencode[^/#]*\.db)#(ses_[A-Za-z0-9]{1,64})$/

function isRecordsPath(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && RECORDS.test(path)
}

export function opencodeRecords(readsIn: ReadsIn): Records {
  const scan = () => new SessionScan(readsIn)
  return {
    isRecordsPath,
    scan,
    open(path) {
      const [, file = '', session = ''] = RECORDS.exec(path) ?? []
      return new SessionLog(file, session, scan())
    },
  }
}
