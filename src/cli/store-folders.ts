/** The folders that a held call may name: those of the stores, and that of the notes. */
import type { Paths } from '../paths.ts'
import { readServing } from '../stores/serving.ts'
import { firstStoreFolder } from './first-store.ts'

/** Without a `serving.json` that can be read: the first store. Setup must not fail because of it. */
export function foldersToRead(paths: Paths, home: string): readonly string[] {
  const { serving } = readServing({ serving: paths.serving, config: paths.config, home })
  const stores = serving?.stores.map(({ folder }) => folder) ?? [firstStoreFolder(paths)]
  return [...stores, paths.notes]
}
