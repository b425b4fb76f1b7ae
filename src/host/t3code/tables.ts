/**
 * Names of the host's tables, columns and JSON paths that are read, and of its words.
 *
 * They are the same in the preview of version 2, in its release and in the fork; later hosts only add to them.
 */
import type { HarnessName } from '../../core/id.ts'

const PREFIX = 'orchestration_v2_projection_'
export const ATTEMPTS = `${PREFIX}run_attempts`
export const RUNS = `${PREFIX}runs`
export const PROVIDER_THREADS = `${PREFIX}provider_threads`
export const SUBAGENTS = `${PREFIX}subagents`
export const ITEMS = `${PREFIX}turn_items`

/** Where the native session id stands on an attempt, on newer hosts. */
export const ATTEMPT_SESSION = '$.nativeThreadId'
/** Where it stands on a provider thread, on all hosts. */
export const THREAD_SESSION = '$.nativeThreadRef.nativeId'

/** The host's word for each harness. */
export const DRIVERS: Readonly<Record<HarnessName, string>> = {
  'claude-code': 'claudeAgent',
  codex: 'codex',
  grok: 'grok',
  opencode: 'opencode',
}

/** An attempt or an item in one of these states changes no more, as a rule. */
export const OPEN_ATTEMPT: ReadonlySet<string> = new Set(['pending', 'running'])
export const FINISHED_ITEM: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'interrupted'])
