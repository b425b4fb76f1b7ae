/**
 * Where the text of an entry arrives in a harness, or why it can't and what happens instead.
 *
 * Pure: an entry and what is known of the harness in, one line for each item of `when` out.
 */
import { fullText, joined, marked } from '../core/compose.ts'
import { LANE_BYTES } from '../core/budget.ts'
import { isPointer, type Entry, type TriggerItem } from '../core/entry.ts'
import { id, type ClaimId } from '../core/id.ts'
import type { MomentKind } from '../core/moment.ts'
import type { Limit, Profile } from '../core/profile.ts'
import { bytesOf, sizeIn } from '../core/text.ts'
import { phaseOf } from '../match/item.ts'

/** What becomes of an entry's text at a moment of a harness. */
export const ARRIVALS = {
  forbids: 'the call is denied, always; the text goes with the deny',
  holds: 'the call is denied until the agent knows the text, which goes with the deny',
  beside: 'the text arrives at this moment',
  late: "the text arrives with the call's result: the call has run by then",
  carried: 'no text gets in at this moment: it is carried to the next one that takes text',
  'not-held': 'this harness can deny no call here: the text arrives, and nothing is held',
  never: 'the item never speaks',
} as const
export type Arrival = keyof typeof ARRIVALS

/** How much of it: `whole`, or a line that names the file, and why. */
export type Size = 'whole' | 'pointer' | 'over the limit of the harness' | 'over the budget of a run'

export interface SeamLine {
  readonly item: number
  /** Null for an item that never speaks. */
  readonly moment: MomentKind | null
  readonly arrival: Arrival
  readonly size: Size
}

/** As long as a real mark. */
const MARK = id<ClaimId>('0000000000.1')

/** Empty if the entry's scope leaves the harness out. */
export function seamsOf(entry: Entry, profile: Profile): readonly SeamLine[] {
  const { harnesses } = entry.scope
  if (harnesses !== undefined && harnesses.length > 0 && !harnesses.includes(profile.name)) return []
  return entry.when.flatMap((item, index) => {
    const moments = momentsOf(item)
    if (moments.length === 0) return [{ item: index, moment: null, arrival: 'never', size: 'whole' }] satisfies SeamLine[]
    return moments.map((moment): SeamLine => {
      const arrival = arrivalAt(entry, moment, profile)
      return { item: index, moment, arrival, size: sizeFor(entry, limitAt(moment, arrival, profile)) }
    })
  })
}

/** What a reply with this entry alone would hold. */
export function replyText(entry: Entry): string {
  return joined([marked(MARK, entry, fullText(entry))])
}

/** The text of a deny goes inside its reason where the harness drops what stands beside it. */
function limitAt(moment: MomentKind, arrival: Arrival, profile: Profile): Limit | null {
  const inject = profile.seams[moment]?.inject ?? null
  const isDeny = arrival === 'holds' || arrival === 'forbids'
  return isDeny && profile.denyText === 'reason' ? (profile.denyReason ?? inject) : inject
}

function sizeFor(entry: Entry, limit: Limit | null): Size {
  const text = replyText(entry)
  if (bytesOf(text) > LANE_BYTES.rules) return 'over the budget of a run'
  if (limit !== null && sizeIn(limit.unit, text) > limit.max) return 'over the limit of the harness'
  return isPointer(entry) ? 'pointer' : 'whole'
}

function momentsOf(item: TriggerItem): readonly MomentKind[] {
  const phase = phaseOf(item)
  switch (phase) {
    case 'session': {
      const triggers = item.session ?? []
      return [
        ...(triggers.some((trigger) => trigger !== 'subagent') ? (['session-start'] as const) : []),
        ...(triggers.includes('subagent') ? (['subagent-start'] as const) : []),
      ]
    }
    case 'prompt':
      return ['prompt']
    case 'before':
      return ['before-tool']
    case 'after':
      return ['after-tool']
    case null:
      return []
    default:
      return phase satisfies never
  }
}

function arrivalAt(entry: Entry, moment: MomentKind, profile: Profile): Arrival {
  const seam = profile.seams[moment]
  const takesText = seam !== undefined && seam.inject !== null
  if (moment === 'before-tool' && (entry.mustKnow || entry.forbid)) {
    if (seam?.deny === true) return entry.forbid ? 'forbids' : 'holds'
    return takesText ? 'not-held' : 'carried'
  }
  if (!takesText) return 'carried'
  return moment === 'before-tool' ? 'late' : 'beside'
}
