/** The first store: `serving.json` and a folder of two example entries, for those who have neither. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Paths } from '../paths.ts'

const STARTER = fileURLToPath(new URL('../../examples/starter/', import.meta.url))
const SCHEMAS = fileURLToPath(new URL('../../schemas/', import.meta.url))

/** Others may read them, as far as the umask lets. */
const OWN_FOLDER = 0o755
const OWN_FILE = 0o644

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
  // copied, since editors look for them long after a package cache was pruned
  const schemas = join(dirname(paths.serving), 'schemas')
  const names = readdirSync(SCHEMAS)
  const entries = existsSync(folder) && readdirSync(folder).length > 0 ? [] : readdirSync(STARTER)
  return {
    files: [paths.serving, ...entries.map((name) => join(folder, name)), ...names.map((name) => join(schemas, name))],
    make: () => {
      // whatever the umask lets: who may write here puts words into the agent's ear
      mkdirSync(folder, { recursive: true, mode: OWN_FOLDER })
      for (const name of entries) copyFileSync(join(STARTER, name), join(folder, name))
      mkdirSync(schemas, { recursive: true, mode: OWN_FOLDER })
      for (const name of names) copyFileSync(join(SCHEMAS, name), join(schemas, name))
      const serving = { $schema: './schemas/serving.schema.json', stores: [{ name: 'rules', folder }] }
      writeFileSync(paths.serving, `${JSON.stringify(serving, null, 2)}\n`, { flag: 'wx', mode: OWN_FILE })
    },
  }
}
