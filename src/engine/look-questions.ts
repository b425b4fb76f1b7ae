/** What a context's records are looked at for, and what it means that there are none. Pure. */
import type { ContextState } from '../core/context.ts'
import type { EntryId } from '../core/id.ts'
import type { Watch } from '../core/watch.ts'
import type { GateFiles } from './gate-files.ts'
import type { AskedLook } from './looks.ts'

export function wantsLook(context: ContextState): boolean {
  const isOpen = context.claims.some((claim) => claim.state === 'settled') || context.reads.length > 0
  return context.unscanned || isOpen || hasArmedGate(context) || hasShown(context)
}

/** A text that was shown may be taken back: by a rewind, an undo, a compaction that only the records tell (T11). */
export function hasShown(context: ContextState): boolean {
  return Object.values(context.known).some((known) => known.claim !== null)
}

function hasArmedGate(context: ContextState): boolean {
  return Object.values(context.gates).some((gate) => gate.lifted === null)
}

export function watchOf(context: ContextState, files: GateFiles | null, asked: AskedLook | undefined): Watch {
  const call = asked?.call
  // keys of a record lose their brand
  const armed = new Set(Object.entries(context.gates).flatMap(([entry, gate]) => (gate.lifted === null ? [entry as EntryId] : [])))
  // what was read before any call was held: the gate is made when the read is proven
  for (const read of context.reads) for (const gate of files?.gatesOf(read.path) ?? []) armed.add(gate.entry)
  return {
    claims: context.claims.filter((claim) => claim.state === 'settled'),
    files: files === null || armed.size === 0 ? [] : files.watch(armed),
    // told at a moment of the conversation: in between, the file of a fork may be half there
    wantsHeld: context.unscanned && asked !== undefined,
    ...(call === undefined ? {} : { call }),
  }
}

/** The file ought to be there once the model has answered: at once where a held call waits, else only at the next answer but one. */
export function isWithoutRecords(context: ContextState, asked: AskedLook | undefined, tellsWaveEnd: boolean): boolean {
  const answeredSeq = Math.max(context.answeredSeq, asked?.answeredSeq ?? 0)
  return context.claims.some((claim) => {
    if (claim.state !== 'settled') return false
    const isAnswered = claim.seq < answeredSeq
    // a prompt that comes before its session's start names none; only what was served without any can't be proven
    if (context.records === null) return isAnswered || !tellsWaveEnd
    if (!isAnswered || context.noRecords) return isAnswered
    return asked?.mustBeThere === true ? claim.role === 'hold' : claim.wave + 1 < context.wave.number
  })
}
