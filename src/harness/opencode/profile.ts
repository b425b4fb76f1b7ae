/**
 * What is known of OpenCode, as far as a decision needs it.
 *
 * Every figure was measured on the real program, version 1.18.33, with a scripted model.
 */
import type { Limit, Profile } from '../../core/profile.ts'

/** Nothing that a plugin adds is ever cut: 300,000 characters on a result and 200,000 in a thrown error arrived whole. */
const TEXT: Limit = { unit: 'bytes', max: 100_000 }
const INJECT_ONLY = { inject: TEXT, deny: false } as const

export const opencode: Profile = {
  name: 'opencode',
  title: 'OpenCode',
  proven: { from: '1.18.33', to: '1.18.33' },
  seams: {
    // There is no event of a start that waits for an answer: both are told at the first message, and their text is put into it.
    'session-start': INJECT_ONLY,
    'subagent-start': INJECT_ONLY,
    prompt: INJECT_ONLY,
    // A hook before a call can throw, and nothing else: text waits for the call's result.
    'before-tool': { inject: null, deny: true },
    // Of a failed call the plugin is only told.
    'after-tool': INJECT_ONLY,
  },
  // what is thrown is the whole result of the call
  denyText: 'reason',
  denyReason: TEXT,
  clientTellsVerdict: true,
  tellsBatchEnd: true,
}
