/** From a decoded moment to its answer: stores, matching, evidence where the decision hangs on it, and the one step that decides. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { newContext, type ContextState } from '../core/context.ts'
import { mustDeny } from '../core/deny.ts'
import type { Entry } from '../core/entry.ts'
import { id, type DeliveryId, type EntryId, type Millis, type RunId } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import { observe, type Observation } from '../core/observe.ts'
import { rollBack } from '../core/rollback.ts'
import type { Problem } from '../core/problem.ts'
import type { Profile } from '../core/profile.ts'
import { touchedOwnFiles } from '../guard/touched.ts'
import type { Harness, HookAnswer } from '../harness.ts'
import type { Host } from '../host.ts'
import type { Matched, Project, Subject } from '../match/match.ts'
import { isPathLike, realPlaceOf, rememberedRealPaths, type RealPlace } from '../real-path.ts'
import type { State } from '../state.ts'
import type { StoreView, Stores } from '../stores/stores.ts'
import type { MomentRequest } from './engine.ts'
import { awaited, isWaveInDoubt } from './awaited.ts'
import { anewOf } from './delivery.ts'
import { gateFilesOf, type GateFiles } from './gate-files.ts'
import { holdoutSalt } from './holdout.ts'
import { hasShown } from './look-questions.ts'
import type { Looks, Target } from './looks.ts'
import { noteFileIn, writeNotes } from './notes.ts'
import { LateError } from './mishaps.ts'
import { notAnalysed, type Problems } from './problems.ts'
import { readFilesOf } from './read-files.ts'
import { stepOf } from './step.ts'
import { offUntil } from './switch.ts'
import { triggersOf } from './triggers.ts'
import { Turns } from './turns.ts'

/** A hook waits one second at most: past this nothing is decided any more, so that no reply is charged that nobody takes. */
const DEADLINE_MS = 600
/** A held call waits this long for the proof that its text was shown (design, section 3). */
const GATE_WAIT_MS = 250
/** The first moment of an unknown conversation waits this long to learn what its records hold already. */
const SCAN_WAIT_MS = 100

export interface AnsweringOptions {
  readonly state: State
  readonly stores: Stores
  readonly looks: Looks
  readonly problems: Problems
  readonly host: Host
  readonly projectOf: (cwd: string) => Project
  readonly home: string
  /** Folder of the notes. */
  readonly notes: string
  readonly now: () => Millis
  /** Where the text of a deny goes, against the profile. */
  readonly denyText: 'context' | 'reason' | undefined
  /** What every wait and the deadline are multiplied by. */
  readonly patience: number
}

export class Answering {
  readonly #options: AnsweringOptions
  readonly #turns: Turns
  readonly #projectOf: (folder: string) => Project
  readonly #viewOf: (root: string) => StoreView
  readonly #realNow: (path: string) => string
  readonly #sizeOf: (path: string) => number
  readonly #realOf: (path: string) => string
  readonly #noteOf: (entry: Entry) => string
  #index: Indexed | null = null
  #holdoutSalt: string | null = null

  constructor(options: AnsweringOptions) {
    this.#options = options
    this.#turns = new Turns(() => options.state.gather())
    this.#projectOf = this.#turns.once(options.projectOf)
    this.#viewOf = this.#turns.once((root: string) => options.stores.current(root))
    const placeNow = this.#turns.once((path: string): RealPlace => realPlaceOf(path, placeNow))
    this.#realNow = (path) => (isPathLike(path) ? placeNow(resolve(path)).path : resolve(path))
    this.#sizeOf = this.#turns.once(sizeOf)
    this.#realOf = rememberedRealPaths(options.now)
    this.#noteOf = noteFileIn(options.notes)
  }

  /** Throws what fails on the way; nothing is reserved then. */
  async answer(harness: Harness, moment: Moment, asked: DeliveryId, request: MomentRequest): Promise<Delivered> {
    const { state, looks, problems, now, patience } = this.#options
    const profile = this.#profileOf(harness, moment)
    // events of files that were saved before the request are taken in first: what was saved counts (stores/exact.test.ts)
    await this.#turns.next()
    const turn = this.#turns.number
    const project = this.#projectOf(this.#folderOf(moment, profile))
    const view = this.#viewOf(project.root)
    const { files, entries } = this.#indexed(view, project)
    const target: Target = { context: moment.context, session: moment.session, harness, files }
    looks.remember(target)
    if (moment.records !== null && !harness.records.isRecordsPath(moment.records)) problems.report(recordsElsewhere(harness), now())

    const isOff = request.off || offUntil(state, now()) !== null
    const seen = this.#observation(moment, files, profile)
    let context = this.#observed(moment, seen)
    const evidenceFrom = performance.now()
    // at a session's start its file may not be there yet: what is missing is served at the next seam (law 13)
    if (context.unscanned && !isOff && moment.kind !== 'session-start') {
      await this.#scan(target, context, moment)
      context = this.#observed(moment, seen)
    }
    // what a person took back before this prompt is to be served with it again (T11)
    if (!isOff && moment.kind === 'prompt' && !context.unscanned && hasShown(context)) {
      await looks.look(target, { deadlineMs: SCAN_WAIT_MS * patience, asked: { answeredSeq: context.answeredSeq, mustBeThere: false } })
      context = this.#observed(moment, seen)
    }
    if (isOff === false && isWaveInDoubt(context, moment, profile)) {
      await looks.waitForCall(target, moment.call.id, GATE_WAIT_MS * patience, context.answeredSeq)
      context = this.#observed(moment, seen)
    }
    let evidenceMs = performance.now() - evidenceFrom

    const pack = triggersOf(moment, context, profile)
    const matchFrom = performance.now()
    const subject: Subject = {
      moment,
      project,
      sessionTriggers: pack.triggers,
      home: this.#options.home,
      real: this.#realNow,
      at: moment.at,
    }
    const matched = isOff ? NOTHING_MATCHED : view.matcher.match(subject)
    const matchMs = performance.now() - matchFrom
    if (matched.notAnalysed !== null) notAnalysed(problems, harness.profile.name, matched.notAnalysed, now())
    const touched = touchedOwnFiles(moment, matched.candidates)
    if (touched !== null) {
      problems.count(touched.code)
      problems.report(touched, now())
    }

    const armed = moment.kind === 'before-tool' ? matched.candidates.filter(({ entry }) => mustDeny(context, entry)) : []
    const isProvable = armed.length === 0 || this.#isProvable(context)
    const waiting = awaited(armed, context, files, isProvable)
    if (waiting.length > 0) {
      const waitFrom = performance.now()
      const isFree = (after: ContextState): boolean => waiting.every(({ entry }) => !mustDeny(after, entry))
      await looks.waitUntil(target, isFree, GATE_WAIT_MS * patience, context.answeredSeq)
      evidenceMs += performance.now() - waitFrom
    }
    // it has waited: others of its wave have as well
    if (this.#turns.number !== turn) await this.#turns.next()
    const isLate = performance.now() - request.arrived > DEADLINE_MS * patience

    const salt = (this.#holdoutSalt ??= holdoutSalt(state))
    const { context: at, session, parent } = moment
    const decideAs = (delivery: DeliveryId) =>
      state.update({ context: at, session, ...(parent === undefined ? {} : { parent }), delivery }, (before) => {
        // a repeated one gets its reply all the same, which was decided in time
        if (isLate && before.replay === null) throw new LateError()
        return stepOf(before, {
          harness,
          profile,
          noteOf: this.#noteOf,
          host: this.#options.host,
          moment,
          delivery,
          matched,
          seen,
          pack,
          entries,
          subject,
          holdoutSalt: salt,
          isOff,
          now: now(),
          recordsFrom: moment.records === null ? 0 : this.#sizeOf(moment.records),
          arrived: request.arrived,
          ms: { match: matchMs, evidence: evidenceMs },
        })
      })
    const first = decideAs(asked)
    const delivery = first === null ? anewOf(asked) : asked
    const answered = first ?? decideAs(delivery)
    await this.#turns.committed()
    if (answered === null) throw new Error('a delivery that nobody knows is never a repeated one')
    writeNotes(answered.notes, this.#options.notes)
    if (answered.isOpen) looks.schedule(target)
    return { answer: answered.answer, delivery, isRepeated: answered.isRepeated }
  }

  #observation(moment: Moment, files: GateFiles, profile: Profile): Omit<Observation, 'run'> {
    const reads = moment.kind === 'after-tool' ? readFilesOf(moment, files, this.#options.home) : []
    return {
      reads,
      ...(reads.length === 0 || moment.records === null ? {} : { recordsFrom: this.#sizeOf(moment.records) }),
      loaded: moment.kind === 'loaded' ? files.textOf(moment.path) : [],
      gatesOf: (path) => files.gatesOf(path),
      announcesAllFirst: profile.announcesAllFirst === true,
    }
  }

  /** The context as the moment will find it. Nothing is kept. */
  #observed(moment: Moment, seen: Omit<Observation, 'run'>): ContextState {
    const { state, host } = this.#options
    const before = state.context(moment.context) ?? newContext(moment.context, moment.at)
    const taken = host.rolledBack?.(moment)
    const kept = taken === undefined ? before : rollBack(before, taken, moment.at).context
    return observe(kept, moment, { ...seen, run: kept.budget?.run ?? id<RunId>('') }).context
  }

  /** Learns what an unknown conversation holds already, so that nothing is served twice. */
  async #scan(target: Target, observed: ContextState, moment: Moment): Promise<void> {
    if (observed.records === null) return
    const { state, looks, now, patience } = this.#options
    const { started, unscanned, owed, records } = observed
    state.update({ context: target.context, session: target.session }, ({ context }) => ({
      context: { ...(context ?? newContext(target.context, now())), started, unscanned, owed, records },
      result: null,
    }))
    if (moment.kind === 'before-tool') await looks.scanBefore(target, moment.call.id, GATE_WAIT_MS * patience, observed.answeredSeq)
    else await looks.look(target, { deadlineMs: SCAN_WAIT_MS * patience, asked: { answeredSeq: observed.answeredSeq, mustBeThere: false } })
  }

  /** What is derived from the entries, kept as long as they and the project are the same. */
  #indexed(view: StoreView, project: Project): Indexed {
    const roots = project.roots.join('\n')
    const kept = this.#index
    if (kept !== null && kept.view === view && kept.roots === roots) return kept
    const entries = new Map(view.entries.map((entry) => [entry.id, entry]))
    this.#index = { view, roots, entries, files: gateFilesOf(view.entries, project, { realOf: this.#realOf, noteOf: this.#noteOf }) }
    return this.#index
  }

  /** Some record, the harness's own or the host's, can tell what the model was sent. */
  #isProvable({ id: context, noRecords, records }: ContextState): boolean {
    if (this.#options.host.canTell?.(context) === true) return true
    return !noRecords && records !== null && this.#sizeOf(records) > 0
  }

  #folderOf(moment: Moment, { folderIsOfCall }: Profile): string {
    const own = folderIsOfCall === true ? this.#options.state.context(moment.context)?.folder : null
    return own ?? moment.cwd
  }

  #profileOf(harness: Harness, moment: Moment): Profile {
    const profile = harness.profileOf?.(moment) ?? harness.profile
    const { denyText } = this.#options
    if (denyText !== undefined) return { ...profile, denyText }
    return this.#isProvenByHost(harness, moment) ? { ...profile, denyText: 'reason', hostProves: true } : profile
  }

  /** Only the host's record can be read of this context. */
  #isProvenByHost({ records }: Harness, { context, records: path }: Moment): boolean {
    const { host, state } = this.#options
    if (host.canTell?.(context) !== true) return false
    return path === null || !records.isRecordsPath(path) || state.context(context)?.noRecords === true
  }
}

/** `delivery`: as it is logged; where an id was used long ago, another one than was asked for. */
interface Delivered {
  readonly answer: HookAnswer
  readonly delivery: DeliveryId
  readonly isRepeated: boolean
}

interface Indexed {
  readonly view: StoreView
  readonly roots: string
  readonly entries: ReadonlyMap<EntryId, Entry>
  readonly files: GateFiles
}

const NOTHING_MATCHED: Matched = { candidates: [], notAnalysed: null }

function recordsElsewhere({ profile }: Harness): Problem {
  return {
    code: 'records_elsewhere',
    severity: 'warning',
    message: `A session of ${profile.title} names a session file where it would not keep one: it is not opened, and nothing in that session can be proven.`,
    cure: `If ${profile.title} keeps its sessions elsewhere now, report it with its version.`,
  }
}

/** Size of the records now: proof stands behind this. A file that is not there yet has none. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
