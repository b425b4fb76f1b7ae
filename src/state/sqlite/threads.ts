/** Listing threads from their own rows and counters: no log is read, however long it is. */
import type { DatabaseSync } from 'node:sqlite'
import type { ThreadSummary } from '../../state.ts'

/** Threads, the one seen last first. A thread may have several sessions. */
export function listThreads(
  database: DatabaseSync,
  { thread, limit }: { readonly thread?: string; readonly limit: number },
): readonly ThreadSummary[] {
  const names = new Set<string>()
  if (thread !== undefined) names.add(thread)
  else {
    for (const row of database.prepare('SELECT thread FROM threads WHERE thread IS NOT NULL ORDER BY seen_at DESC').iterate()) {
      if (names.size >= limit) break
      names.add(String(row['thread']))
    }
  }
  const sum = database.prepare(SUM)
  return [...names].flatMap((name) => {
    const row = sum.get(name, name)
    // columns are named after the type
    return row === undefined || row['seenAt'] === null ? [] : [{ thread: name, ...row } as unknown as ThreadSummary]
  })
}

const SUM = `
  SELECT count(*) AS sessions, max(seen_at) AS seenAt, max(runs) AS runs, sum(moments) AS moments, sum(denied) AS denied, sum(bytes) AS bytes,
    (SELECT harness FROM moments INDEXED BY moments_by_thread WHERE moments.thread = ? ORDER BY number DESC LIMIT 1) AS harness
  FROM threads WHERE thread = ?`
