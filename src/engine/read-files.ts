/** Which gate files a finished call has read, or written whole, such that the result proves it once it is answered (law 12). */
import type { MomentOf } from '../core/moment.ts'
import { fileOfEntryRead, isEntryRead } from '../match/entry-read.ts'
import { readsIn } from '../match/reads.ts'
import type { GateFiles } from './gate-files.ts'

export function readFilesOf(moment: MomentOf<'after-tool'>, files: GateFiles, home: string): readonly string[] {
  const { call, result } = moment
  if (result.state !== 'ok') return []
  const found = new Set<string>()
  for (const use of call.paths) {
    const counts = (use.access === 'read' && call.tool === 'read') || (use.access === 'write' && use.whole === true)
    if (counts) for (const file of files.find(use.path)) found.add(file)
  }
  if (call.command !== undefined) {
    for (const path of readsIn(call.command, call.cwd, { home })) {
      for (const file of files.find(path)) if (files.hasLineIn(file, result.output)) found.add(file)
    }
  }
  const entry = isEntryRead(call.tool) ? fileOfEntryRead(result.output) : null
  if (entry !== null) for (const file of files.find(entry)) if (files.hasLineIn(file, result.output)) found.add(file)
  return [...found]
}
