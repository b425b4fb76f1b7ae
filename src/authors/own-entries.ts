/** The entries of a project's own store as a person is to see them before they trust them. Everything is read at once. */
import { createHash } from 'node:crypto'
import { join, relative } from 'node:path'
import { readFileOnce, stampOf } from '../stores/file.ts'
import { isPassedOver, leavesProject, openStore, PROJECT_STORE } from '../stores/project-store.ts'
import type { TrustedProject } from '../stores/trust.ts'
import { visible } from './visible.ts'

export interface OwnEntry {
  /** Path below the store's folder. */
  readonly name: string
  readonly state: 'trusted' | 'new' | 'changed' | 'refused'
  /** SHA-256 in base64 of the bytes that `text` shows; null if they could not be read. */
  readonly hash: string | null
  /** The whole file, hidden characters written out. */
  readonly text: string
  /** Why it can't be served, or will not be. */
  readonly mistakes: readonly string[]
}

/** Null if the project brings no store. */
export function ownEntries(root: string, home: string, trusted: TrustedProject | null): readonly OwnEntry[] | null {
  const folder = join(root, PROJECT_STORE)
  if (stampOf(folder)?.kind !== 'folder') return null
  const live = openStore(root, home)
  try {
    live.refresh(Date.now(), Infinity)
    return [...live.files]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, file]): OwnEntry[] => {
        if (isPassedOver(file)) return []
        const name = relative(folder, path)
        const outside = leavesProject(path, file.parsed.entry, root)
        if (outside !== null)
          return [{ name, state: 'refused', hash: null, text: '', mistakes: [`${outside} lies outside of the project`] }]
        const mistakes = file.parsed.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
        const found = readFileOnce(path)
        if (found.kind !== 'read') return [{ name, state: 'refused', hash: null, text: '', mistakes }]
        const hash = createHash('sha256').update(found.bytes).digest('base64')
        const pinned = trusted?.entries.get(name)
        const state = pinned === hash ? 'trusted' : pinned === undefined ? 'new' : 'changed'
        return [{ name, state, hash, text: visible(new TextDecoder().decode(found.bytes)), mistakes }]
      })
  } finally {
    live.close()
  }
}
