/**
 * Permission rules that let the agent read the files that a held call names, also in the default permission mode, and nothing else.
 *
 * `Read(//PATH/**)` is an absolute path: `/PATH` alone would be taken from the settings' own folder.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** For each folder, and for where its links lead: the harness checks both. Folders need not exist. */
export function readRules(folders: readonly string[]): readonly string[] {
  const paths = folders.flatMap((folder) => [folder, real(folder)])
  return [...new Set(paths)].map((path) => `Read(/${path}/**)`)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}
