/**
 * What ContextMD would do at a moment in a context where nothing was served yet. Nothing is stored, nothing is sent.
 *
 * The same matching and the same decision as for a real moment, on a window of its own whose start is over.
 */
import { newContext, type ContextState } from '../core/context.ts'
import { decide } from '../core/decide.ts'
import { id, type DeliveryId, type EntryId, type RunId } from '../core/id.ts'
import type { Entry } from '../core/entry.ts'
import type { Moment } from '../core/moment.ts'
import { observe } from '../core/observe.ts'
import type { Profile } from '../core/profile.ts'
import type { Reply } from '../core/reply.ts'
import type { CandidateRow } from '../core/row.ts'
import { hashOf } from '../engine/hash.ts'
import { noteTextOf } from '../engine/notes.ts'
import { triggersOf } from '../engine/triggers.ts'
import type { Harness, HookAnswer } from '../harness.ts'
import type { Project, Subject } from '../match/match.ts'
import type { StoreView } from '../stores/stores.ts'

export interface SubjectPlace {
  readonly project: Project
  readonly home: string
  readonly real: (path: string) => string
}

export interface TrialPlace extends SubjectPlace {
  /** Path of an entry's note. */
  readonly noteOf: (entry: Entry) => string
}

export interface Trial {
  readonly subject: Subject
  readonly reply: Reply
  /** What the harness's hook would be answered. */
  readonly answer: HookAnswer
  /** Files that the answer names, with what would stand in them. */
  readonly notes: readonly { readonly file: string; readonly text: string }[]
  readonly rows: readonly (CandidateRow & { readonly title: string })[]
  readonly notAnalysed: string | null
}

/** As long as a real one, so that the text has its real size. */
const MARK = '0000000000'
const RUN = id<RunId>('trial')

export function tryMoment(moment: Moment, view: StoreView, harness: Harness, place: TrialPlace): Trial {
  const profile = profileFor(moment, harness)
  const { subject, context } = asked(moment, profile, place)
  const matched = view.matcher.match(subject)
  const decision = decide(context, {
    moment,
    candidates: matched.candidates,
    carried: new Map<EntryId, Entry>(),
    profile,
    noteOf: place.noteOf,
    run: RUN,
    delivery: id<DeliveryId>('trial'),
    mark: MARK,
    packAsked: false,
    holdout: false,
    now: moment.at,
    recordsFrom: 0,
    hashOf,
  })
  const titles = new Map(view.entries.map((entry) => [entry.id, entry.title]))
  return {
    subject,
    reply: decision.reply,
    answer: harness.render(decision.reply, moment),
    notes: decision.notes.map((entry) => ({ file: place.noteOf(entry), text: noteTextOf(entry) })),
    rows: decision.rows.map((row) => ({ ...row, title: titles.get(row.entry) ?? row.entry })),
    notAnalysed: matched.notAnalysed,
  }
}

/** Of the version that the moment's event shows. */
export function profileFor(moment: Moment, { profile, profileOf }: Harness): Profile {
  return profileOf?.(moment) ?? profile
}

/** The moment with what matching needs to know besides it. */
export function subjectOf(moment: Moment, profile: Profile, place: SubjectPlace): Subject {
  return asked(moment, profile, place).subject
}

function asked(
  moment: Moment,
  profile: Profile,
  { project, home, real }: SubjectPlace,
): { readonly subject: Subject; readonly context: ContextState } {
  // a window that is known: else what its records hold would have to be found out first
  const fresh: ContextState = { ...newContext(moment.context, moment.at), started: true }
  const { context } = observe(fresh, moment, { run: RUN, reads: [], loaded: [], gatesOf: () => [], announcesAllFirst: false })
  const { triggers } = triggersOf(moment, context, profile)
  return { subject: { moment, project, home, real, sessionTriggers: triggers, at: moment.at }, context }
}
