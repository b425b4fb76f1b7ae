/**
 * Notes: files in one short folder that hold the texts of a hold which a harness can't carry whole.
 *
 * A note's path follows from the entry and its text, so nothing has to be remembered; an edited entry has another note.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fullText } from '../core/compose.ts'
import type { Entry } from '../core/entry.ts'

/** Hex digits of the name: short, and unlike any other of the same person. */
const NAME_LENGTH = 12

export function noteFileIn(folder: string): (entry: Pick<Entry, 'id' | 'hash'>) => string {
  return (entry) => {
    const name = createHash('sha256').update(`${entry.id} ${entry.hash}`).digest('hex').slice(0, NAME_LENGTH)
    return join(folder, `${name}.md`)
  }
}

/** What stands in an entry's note. */
export function noteTextOf(entry: Entry): string {
  return `# ${entry.title}\n\n${fullText(entry)}\n`
}

/** Writes the notes that are not there yet, whole or not at all. Throws what the file system throws. */
export function writeNotes(entries: readonly Entry[], folder: string): void {
  if (entries.length === 0) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = noteFileIn(folder)
  for (const entry of entries) {
    const file = fileOf(entry)
    if (existsSync(file)) continue
    writeFileSync(`${file}.new`, noteTextOf(entry), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
}
