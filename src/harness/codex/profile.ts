/**
 * What is known of Codex, as far as a decision needs it.
 *
 * Every figure was measured on the real program, version 0.171.0, with a scripted model, through `exec` and through the app-server.
 */
import type { Limit, Profile } from '../../core/profile.ts'

/**
 * One hook's `additionalContext` passes whole up to 2,500 estimated tokens, which are 10,000 UTF-8 bytes; one more, and the model gets
 * head and tail of it with the path of a file. Two hooks of one event have 10,000 bytes each.
 */
const CONTEXT: Limit = { unit: 'bytes', max: 9_500 }
const INJECT_ONLY = { inject: CONTEXT, deny: false } as const

export const codex: Profile = {
  name: 'codex',
  title: 'Codex',
  proven: { from: '0.171.0', to: '0.171.0' },
  seams: {
    'session-start': INJECT_ONLY,
    prompt: INJECT_ONLY,
    // the text stands between the call and its result: it arrives with the result; only a deny acts before the call
    'before-tool': { inject: CONTEXT, deny: true },
    'after-tool': INJECT_ONLY,
    'subagent-start': INJECT_ONLY,
    // A stop takes text as well, but as a person's message that costs another round, without a limit on repeats: no seam for what
    // can wait. What hooks print at a model request or a compaction is ignored.
  },
  // of two hooks that deny one call only the first configured one's reason arrives, and a script of the model (code mode) can catch and
  // swallow it; the context of all hooks arrives (G12, G15)
  denyText: 'context',
  // by PreModelRequest: nothing is sent to the model before all calls of its last reply are done
  tellsBatchEnd: true,
}
