/**
 * Claude Code's records: `CONFIG_DIR/projects/SLUG/SESSION.jsonl`, and for a subagent `…/SESSION/subagents/agent-ID.jsonl`.
 *
 * CONFIG_DIR is `~/.claude`, or what `CLAUDE_CONFIG_DIR` said to a process that is not ours, so any folder may hold `projects`.
 */
import { isAbsolute, normalize } from 'node:path'
import type { Records } from '../../harness.ts'
import { objectIn, versionText } from '../json.ts'
import type { ReadsIn } from './records-reads.ts'
import { SessionScan } from './records-scan.ts'

const RECORDS = /\/projects\/[^/]+\/[^/]+(?:\/subagents\/agent-[^/]+)?\.jsonl$/

function isRecordsPath(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path && RECORDS.test(path)
}

/** Every line of the conversation carries it. */
function versionIn(head: string): string | null {
  for (const line of head.split('\n')) {
    const version = versionOfLine(line)
    if (version !== null) return version
  }
  return null
}

function versionOfLine(line: string): string | null {
  try {
    return versionText(objectIn(JSON.parse(line))['version'])
  } catch {
    return null
  }
}

export function claudeRecords(readsIn: ReadsIn): Records {
  return { isRecordsPath, scan: () => new SessionScan(readsIn), versionIn }
}
