/**
 * What is known of Claude Code, as far as a decision needs it.
 *
 * Every figure was measured on the real program, version 2.1.332, with a scripted model.
 */
import type { Limit, Profile } from '../../core/profile.ts'

/** One hook's `additionalContext` passes whole up to 10,000 UTF-16 units; one more, and the model gets a preview of 2 KB and a path. */
const CONTEXT: Limit = { unit: 'utf16', max: 9_500 }
const INJECT_ONLY = { inject: CONTEXT, deny: false } as const

export const claudeCode: Profile = {
  name: 'claude-code',
  title: 'Claude Code',
  proven: { from: '2.1.332', to: '2.1.332' },
  seams: {
    'session-start': INJECT_ONLY,
    prompt: INJECT_ONLY,
    // the text arrives with the call's result; only a deny acts before the call
    'before-tool': { inject: CONTEXT, deny: true },
    'after-tool': INJECT_ONLY,
    'batch-end': INJECT_ONLY,
    'subagent-start': INJECT_ONLY,
    // A stop takes text as well, but then the turn goes on for another round: it is no seam for what can wait.
    // What a compaction's hooks print gets into the summary or the conversation (X5): never a seam.
  },
  // of two hooks that deny one call only the reason of the last one to finish arrives; the context of both does (G12)
  denyText: 'context',
  tellsBatchEnd: true,
}
