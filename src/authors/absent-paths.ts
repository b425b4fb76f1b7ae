/**
 * Globs of `path` whose fixed part names a folder that is not there, as far as that can be known: absolute ones, and those of a store
 * that belongs to one project.
 */
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Entry } from '../core/entry.ts'

export interface AbsentPath {
  readonly item: number
  readonly glob: string
  /** The folder that is not there. */
  readonly folder: string
}

export interface KnownPlaces {
  readonly home: string
  /** Root of the project whose own store the entry stands in; null: the entry may serve any project. */
  readonly projectRoot: string | null
}

export function absentPaths(entry: Entry, places: KnownPlaces): readonly AbsentPath[] {
  return entry.when.flatMap((item, index) =>
    (item.path ?? []).flatMap((glob): AbsentPath[] => {
      const folder = fixedFolder(glob, places)
      return folder === null || existsSync(folder) ? [] : [{ item: index, glob, folder }]
    }),
  )
}

/** The folder that stands before the first wildcard; null if there is none, or nobody can know it. */
function fixedFolder(glob: string, { home, projectRoot }: KnownPlaces): string | null {
  if (glob.startsWith('!') || glob.includes('\\')) return null
  const wildcard = glob.search(/[*?[{(]/)
  const fixed = wildcard === -1 ? dirname(glob) : glob.slice(0, glob.lastIndexOf('/', wildcard))
  if (wildcard !== -1 && !glob.slice(0, wildcard).includes('/')) return null
  if (fixed === '' || fixed === '.') return null
  if (isAbsolute(fixed)) return fixed
  if (fixed.startsWith('~/')) return join(home, fixed.slice(2))
  return projectRoot === null ? null : join(projectRoot, fixed)
}
