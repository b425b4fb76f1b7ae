/**
 * Codex's records: `CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-THREAD.jsonl`, one file a thread; a subagent is a thread of its own.
 *
 * CODEX_HOME is `~/.codex`, or what that variable said to a process that is not ours, so any folder may hold `sessions`.
 */
import { isAbsolute, normalize } from 'node:path'
import type { Records } from '../../harness.ts'
import { versionText } from '../json.ts'
import type { ReadsIn } from './records-reads.ts'
import { RolloutScan } from './records-scan.ts'
import { RolloutSource } from './records-source.ts'

const RECORDS = /\/sessions\/\d{4}\/\d{2}\/\d{2}\/rollout-[^/]+\.jsonl$/

export function isRollout(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && RECORDS.test(path)
}

/** It stands in the first line, which may be cut: instructions follow behind it. */
function versionIn(head: string): string | null {
  const [first = ''] = head.split('\n', 1)
  if (!/"type":\s*"session_meta"/.test(first)) return null
  return versionText(/"cli_version":\s*"([^"\\]*)"/.exec(first)?.[1])
}

export function codexRecords(readsIn: ReadsIn): Records {
  return {
    isRecordsPath: isRollout,
    scan: () => new RolloutScan(readsIn),
    versionIn,
    open: (path) => new RolloutSource({ path, readsIn, isRecordsPath: isRollout }),
  }
}
