/**
 * Doctor's test moments: real events through the real hooks, told from an agent's by their session.
 *
 * They are decoded and rendered as any other, so that what the harness's program would print is what doctor sees; but nothing is
 * matched, counted, logged or kept, and they are answered whether serving is on or off.
 */
import { id, type DeliveryId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import type { Harness, HookAnswer } from '../harness.ts'

/** No harness names a session so: they are UUIDs, or begin with `ses_`. */
export const PROBE_SESSION = 'contextmd-doctor-'

export function isProbe({ session }: Moment): boolean {
  return session.startsWith(PROBE_SESSION)
}

/** The harness's own hook answer with one line of text: which test moment it was, and as what it was understood. */
export function answerProbe(harness: Harness, moment: Moment): HookAnswer {
  return harness.render({ kind: 'serve', delivery: id<DeliveryId>(moment.session), text: probeText(moment) }, moment)
}

/** As doctor expects it to arrive. */
export function probeText({
  session,
  kind,
  ...moment
}: Pick<Moment, 'session' | 'kind'> & { readonly call?: { readonly tool: string } }): string {
  const tool = moment.call === undefined ? '' : ` ${moment.call.tool}`
  return `[ContextMD ${session}] understood as ${kind}${tool}`
}
