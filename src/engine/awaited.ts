/** What a decision about a call may have to wait for, before its step. */
import type { ContextState } from '../core/context.ts'
import type { Entry } from '../core/entry.ts'
import type { CallId, EntryId } from '../core/id.ts'
import type { Moment, MomentOf } from '../core/moment.ts'
import type { Profile } from '../core/profile.ts'
import type { GateFiles } from './gate-files.ts'

/** True where no moment tells the end of a wave, and calls were denied in the one that is open: is this one of it, or a retry? */
export function isWaveInDoubt(
  { wave }: ContextState,
  moment: Moment,
  { tellsBatchEnd }: Profile,
): moment is MomentOf<'before-tool'> & { readonly call: { readonly id: CallId } } {
  return moment.kind === 'before-tool' && moment.call.id !== null && !tellsBatchEnd && !wave.over && wave.denied > 0
}

/**
 * Those of which what could lift the gate came before the model's latest answer: its text, or the read of a file. Where nothing can tell of
 * either it is one deny of any form.
 */
export function awaited<Of extends { readonly entry: Entry }>(
  armed: readonly Of[],
  context: ContextState,
  files: GateFiles,
  isProvable: boolean,
): readonly Of[] {
  if (armed.length === 0) return armed
  const found = new Set<EntryId>()
  for (const read of context.reads) {
    if (read.wave < context.wave.number) for (const gate of files.gatesOf(read.path)) found.add(gate.entry)
  }
  for (const { entry, form, epoch, state, seq } of context.claims) {
    if ((form === 'text' || !isProvable) && epoch === context.epoch && state === 'settled' && seq < context.answeredSeq) found.add(entry)
  }
  return armed.filter(({ entry }) => found.has(entry.id))
}
