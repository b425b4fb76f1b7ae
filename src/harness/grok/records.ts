/**
 * Grok Build's records: `GROK_HOME/sessions/FOLDER/SESSION/chat_history.jsonl`, the messages of a session as the model gets them.
 *
 * GROK_HOME is `~/.grok`, or what that variable said to a process that is not ours, so any folder may hold `sessions`.
 */
import { basename, dirname, isAbsolute, normalize } from 'node:path'
import type { Records } from '../../harness.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { HistoryScan } from './records-scan.ts'

const RECORDS = /\/sessions\/[^/]+\/[^/]+\/chat_history\.jsonl$/

function isRecordsPath(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && RECORDS.test(path)
}

export function grokRecords(readsIn: ReadsIn): Records {
  return { isRecordsPath, scan: (path) => new HistoryScan(readsIn, path === undefined ? null : folderIn(path)) }
}

/** The folder of a session's project: its name stands, percent-encoded, in the path. Null where it is too long and is a hash instead. */
export function folderIn(path: string): string | null {
  try {
    const folder = decodeURIComponent(basename(dirname(dirname(path))))
    return isAbsolute(folder) ? folder : null
  } catch {
    return null
  }
}
