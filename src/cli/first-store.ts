/** The first store: `serving.json` and a folder of two example entries, for those who have neither. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Paths } from '../paths.ts'

const STARTER = fileURLToPath(new URL('../../examples/starter/', import.meta.url))

export function firstStoreFolder(paths: Paths): string {
  return join(paths.config, 'rules')
}

interface FirstStore {
  /** Files that are missing, and that `make` writes. Empty: there is a store already. */
  readonly files: readonly string[]
  make(): void
}

/** Nothing is made where a `serving.json` stands, or entries in the folder: those are the person's own. */
export function planFirstStore(paths: Paths): FirstStore {
  const folder = firstStoreFolder(paths)
  if (existsSync(paths.serving)) return { files: [], make: () => {} }
  const entries = existsSync(folder) && readdirSync(folder).length > 0 ? [] : readdirSync(STARTER)
  return {
    files: [paths.serving, ...entries.map((name) => join(folder, name))],
    make: () => {
      mkdirSync(folder, { recursive: true })
      for (const name of entries) copyFileSync(join(STARTER, name), join(folder, name))
      mkdirSync(dirname(paths.serving), { recursive: true })
      writeFileSync(paths.serving, `${JSON.stringify({ stores: [{ name: 'rules', folder }] }, null, 2)}\n`, { flag: 'wx' })
    },
  }
}
