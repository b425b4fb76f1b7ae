import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entry } from '../core/core.fixture.ts'
import { noteFileIn, writeNotes } from './notes.ts'

test('a note holds the whole text, is private, and is written once; an edited entry has another', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'contextmd-notes-')), 'notes')
  try {
    const held = entry('held', { title: 'Held', text: 'All of it.' })
    writeNotes([held], folder)
    const note = noteFileIn(folder)(held)
    expect(readFileSync(note, 'utf8')).toBe('# Held\n\nAll of it.\n')
    expect(statSync(note).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const written = statSync(note).ino
    writeNotes([held], folder)
    expect(statSync(note).ino).toBe(written)
    expect(existsSync(noteFileIn(folder)(entry('held', { text: 'Edited.' })))).toBe(false)
  } finally {
    rmSync(join(folder, '..'), { recursive: true, force: true })
  }
})
