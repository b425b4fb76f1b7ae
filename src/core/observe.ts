/**
 * What a moment itself tells of its context, before anything is decided: the wave, the epoch, reads and their proof by the order
 * of hooks, what the harness loaded, and whether the context was known at all.
 */
import type { ContextState, PendingRead } from './context.ts'
import { compact, endEpoch, settleCompactions } from './epoch.ts'
import { gateAfterRead, gateOf, withGate, type GateFiles } from './gate.ts'
import type { EntryId, Millis, RunId, TextHash } from './id.ts'
import type { Moment, SessionSource } from './moment.ts'
import type { GateRow } from './row.ts'

/** A call of one reply comes within this time of the first, or the harness did not tell the end of the wave. */
export const WAVE_LASTS_MS = 120_000
/** More denied calls than any reply holds: the harness does not tell the end of its waves. Together with the time, the bound of law 8. */
export const WAVE_HOLDS_CALLS = 128

/** An entry whose gate a file can lift. */
export interface GateOfFile extends GateFiles {
  readonly entry: EntryId
  readonly hash: TextHash
}

export interface Observation {
  readonly run: RunId
  /** All calls of a reply are announced before the first one runs: a call that is done ends the wave. */
  readonly announcesAllFirst: boolean
  /** Files of entries that this moment's call read or wrote whole, and went well. */
  readonly reads: readonly string[]
  /** Size of the context's records at this moment, in bytes, where something was read. */
  readonly recordsFrom?: number
  /** Entries whose text the harness loaded by itself at this moment. */
  readonly loaded: readonly { readonly entry: EntryId; readonly hash: TextHash }[]
  /** Gates that a read of the file bears on. */
  readonly gatesOf: (path: string) => readonly GateOfFile[]
}

export interface Observed {
  readonly context: ContextState
  readonly gates: readonly GateRow[]
}

export function observe(before: ContextState, moment: Moment, seen: Observation): Observed {
  const gates: GateRow[] = []
  let context: ContextState = {
    ...before,
    seq: before.seq + 1,
    seenAt: moment.at,
    // not every moment of a harness names them (Grok Build's prompts do not)
    records: moment.records ?? before.records,
    folder: folderAfter(before, moment),
  }

  if (moment.kind === 'session-start') {
    const started = startSession(context, moment.source, moment.at)
    context = started.context
    gates.push(...started.gates)
  } else {
    context = startWithout(context, moment)
    if (startsAfterCompaction(moment)) context = settleCompactions(context)
  }

  const wave = waveAt(context, moment, seen.announcesAllFirst)
  const isAnswer = wave.number > context.wave.number || ENDS.has(moment.kind)
  context = { ...context, wave, answeredSeq: isAnswer ? context.seq : context.answeredSeq }
  for (const { entry, hash } of seen.loaded) {
    context = { ...context, known: { ...context.known, [entry]: { hash, by: 'loaded', claim: null, run: seen.run, seq: context.seq } } }
  }
  if (moment.kind === 'after-tool' && moment.call.id !== null) {
    const { id: call } = moment.call
    const from = seen.recordsFrom === undefined ? {} : { recordsFrom: seen.recordsFrom }
    const added = seen.reads.map((path): PendingRead => ({ path, call, wave: context.wave.number, named: seen.announcesAllFirst, ...from }))
    context = { ...context, reads: [...context.reads, ...added].slice(-MAX_PENDING_READS) }
  }
  if (moment.kind === 'batch-end') {
    const named = new Set(moment.calls.map((call) => call.id))
    context = { ...context, reads: context.reads.map((read) => (named.has(read.call) ? { ...read, named: true } : read)) }
  }
  const proven = proveReads(context, moment, seen.gatesOf)
  return { context: proven.context, gates: [...gates, ...proven.gates] }
}

/** The model has answered when these come. */
const ENDS: ReadonlySet<Moment['kind']> = new Set(['stop', 'subagent-stop', 'session-end'])

/** Reads that wait for their proof at the same time; more than a reply holds. */
const MAX_PENDING_READS = 64

function startSession(state: ContextState, source: SessionSource, at: Millis): Observed {
  // what is not known of an earlier resume is still to be found out; a start that comes late has nothing behind it (Grok)
  const isOpen = state.unscanned && source !== 'startup'
  const started: ContextState = { ...state, started: true, unscanned: isOpen, owed: isOpen ? state.owed : null }
  if (source === 'compact') return compact(started, 'moment', at)
  if (source === 'clear') return state.started ? endEpoch(started, at) : { context: started, gates: [] }
  // what an unknown resume or fork replays is found out first; a start resets nothing (law 13)
  if (!state.started && source !== 'startup') return { context: { ...started, unscanned: true, owed: 'resume' }, gates: [] }
  return { context: started, gates: [] }
}

function folderAfter(before: ContextState, moment: Moment): string | null {
  return moment.kind === 'session-start' || moment.kind === 'subagent-start' || moment.kind === 'prompt' ? moment.cwd : before.folder
}

/** The start of the context was missed (S14): its pack is owed, once it is known what its records hold already. */
function startWithout(state: ContextState, moment: Moment): ContextState {
  if (state.started) return state
  switch (moment.kind) {
    case 'subagent-start':
      return { ...state, started: true }
    case 'prompt':
    case 'before-tool':
    case 'after-tool':
    case 'batch-end':
    case 'stop':
      return { ...state, started: true, unscanned: true, owed: moment.agent === null ? 'start' : 'subagent' }
    default:
      return state
  }
}

/** After a compaction the harness first tells of it, then asks the model: these moments come of the model's answer or of a person. */
function startsAfterCompaction(moment: Moment): boolean {
  return moment.kind === 'before-tool' || moment.kind === 'prompt' || moment.kind === 'stop'
}

function waveAt(context: ContextState, moment: Moment, announcesAllFirst: boolean): ContextState['wave'] {
  const wave = context.wave
  switch (moment.kind) {
    case 'before-tool': {
      const isLost = moment.at - wave.since > WAVE_LASTS_MS && wave.denied > 0
      if (!wave.over && !isLost && wave.denied < WAVE_HOLDS_CALLS) return wave
      return { number: wave.number + 1, over: false, denied: 0, calls: [], since: moment.at }
    }
    case 'after-tool':
      return announcesAllFirst ? { ...wave, over: true } : wave
    case 'batch-end':
    case 'prompt':
    case 'stop':
    case 'subagent-stop':
    case 'session-start':
    case 'session-end':
      return { ...wave, over: true }
    default:
      return wave
  }
}

/** By the order of hooks: the batch end named the read, then the model made a call outside it or ended its turn: it has answered. */
function proveReads(context: ContextState, moment: Moment, gatesOf: Observation['gatesOf']): Observed {
  const isAnswer = moment.kind === 'before-tool' || moment.kind === 'stop' || moment.kind === 'subagent-stop'
  if (!isAnswer || context.reads.length === 0) return { context, gates: [] }
  const isProven = (read: PendingRead) => read.named && (moment.kind !== 'before-tool' || read.wave < context.wave.number)
  let next: ContextState = { ...context, reads: context.reads.filter((read) => !isProven(read)) }
  const gates: GateRow[] = []
  for (const read of context.reads.filter(isProven)) {
    const after = applyRead(next, read.path, gatesOf, moment.at)
    next = after.context
    gates.push(...after.gates)
  }
  return { context: next, gates }
}

/** Applies a proven read of a file to every gate that it bears on. */
export function applyRead(state: ContextState, path: string, gatesOf: Observation['gatesOf'], at: Millis): Observed {
  let context = state
  const gates: GateRow[] = []
  for (const { entry, hash, ...files } of gatesOf(path)) {
    const gate = gateOf(context, { id: entry, hash })
    const after = gateAfterRead(gate, files, path)
    if (after === gate) continue
    context = withGate(context, entry, after)
    if (after.lifted !== null && gate.lifted === null) gates.push({ context: context.id, entry, lift: after.lifted, at })
  }
  return { context, gates }
}
