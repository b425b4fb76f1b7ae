/** Whether a row of the log is one that a filter names, as the state's own reading of the log finds it. */
import type { LogFilter, LoggedMoment } from '../state.ts'

/** What a row is like; which part of the log is wanted (`after`, `limit`, the order) is not looked at. */
export function matches(row: LoggedMoment, { thread, entry, outcome, harness, since }: LogFilter): boolean {
  if (thread !== undefined && row.thread !== thread) return false
  if (harness !== undefined && row.harness !== harness) return false
  if (since !== undefined && row.at < since) return false
  const ofEntry = row.candidates.filter((candidate) => entry === undefined || candidate.entry === entry)
  if (entry !== undefined && ofEntry.length === 0) return false
  return outcome === undefined || row.outcome === outcome || ofEntry.some((each) => each.outcome === outcome || each.atMoment === outcome)
}
