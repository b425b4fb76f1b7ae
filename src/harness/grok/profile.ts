/**
 * What is known of Grok Build, as far as a decision needs it.
 *
 * Every figure was measured on the real program, version 1.0.41, with a scripted model; what differs in older ones on 1.0.5.
 */
import type { Limit, Profile } from '../../core/profile.ts'

/** One hook's `additionalContext` passes whole up to 10,000 characters; what is more is replaced by a count. UTF-16 units are never fewer. */
const CONTEXT: Limit = { unit: 'utf16', max: 9_500 }
/** A deny's reason passes whole up to 256 characters (X3). */
const REASON: Limit = { unit: 'utf16', max: 250 }
/** 1.0.5 clips no reason: 5,000 characters passed. */
const OLD_REASON: Limit = { unit: 'utf16', max: 4_500 }

export const grok: Profile = {
  name: 'grok',
  title: 'Grok Build',
  proven: { from: '1.0.41', to: '1.0.41' },
  seams: {
    // Session start, prompt and subagent start take no text: it waits for the first tool call of the turn.
    'before-tool': { inject: CONTEXT, deny: true },
    'after-tool': { inject: CONTEXT, deny: false },
    // the turn goes on for another round: for entries that ask for it only
    stop: { inject: CONTEXT, deny: false },
  },
  // all context of a denied call is dropped
  denyText: 'reason',
  denyReason: REASON,
  tellsBatchEnd: false,
  announcesAllFirst: true,
}

/** What events without `hook_event_name` show: context at tools is ignored, a deny is honoured in its oldest form only. */
export const olderGrok: Profile = {
  ...grok,
  seams: { 'before-tool': { inject: null, deny: true }, stop: { inject: CONTEXT, deny: false } },
  denyReason: OLD_REASON,
}
