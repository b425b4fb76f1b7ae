/**
 * Codex's records: `CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, one file a thread; a subagent is a thread of its own.
 *
 * CODEX_HOME is `~/.codex`, or what that variable said to a process that is not ours, so any folder may hold `sessions`.
 */
import { isAbsolute, normalize } from 'node:path'
import type { Records } from '../../harness.ts'
import type { ReadsIn } from './records-reads.ts'
import { RolloutScan } from './records-scan.ts'
import { RolloutSource } from './records-source.ts'

const RECORDS = /\/sessions\/\d{4}\/\d{2}\/\d{2}\/rollout-[^/]+\.jsonl$/

export function isRollout(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && RECORDS.test(path)
}

export function codexRecords(readsIn: ReadsIn): Records {
  return {
    isRecordsPath: isRollout,
    scan: () => new RolloutScan(readsIn),
    open: (path) => new RolloutSource({ path, readsIn, isRecordsPath: isRollout }),
  }
}
