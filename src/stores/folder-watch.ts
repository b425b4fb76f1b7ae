/**
 * Marks what changed in one folder, without a settling delay: the reader looks at what is marked when it needs it.
 *
 * Not recursive: on Linux one folder is one kernel watch, and the kernel tells each write, creation and rename in it.
 */
import { watch, type FSWatcher } from 'node:fs'
import { basename, join } from 'node:path'

export interface Marks {
  /** Something happened to this path. */
  changed(path: string): void
  /** The folder itself moved or went, or the kernel did not say what happened in it. */
  unsure(folder: string): void
}

/** Null if the folder can't be watched (too many watches, no such support): then only looking at its files helps. */
export function watchFolder(folder: string, marks: Marks): { close(): void } | null {
  let watcher: FSWatcher
  try {
    watcher = watch(folder, { persistent: false }, (event, name) => {
      if (name === null) return marks.unsure(folder)
      // A folder's own end is told with its own name, which a child may bear too.
      if (event === 'rename' && name === basename(folder)) marks.unsure(folder)
      marks.changed(join(folder, name))
    })
  } catch {
    return null
  }
  watcher.on('error', () => {
    watcher.close()
    marks.unsure(folder)
  })
  return watcher
}
