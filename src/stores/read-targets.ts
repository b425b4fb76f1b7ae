/** Where the files of a pointer are: relative to the entry, to the project, absolute, or in the home folder. */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { stampOf } from './file.ts'

export interface ReadPlaces {
  /** The entry's own file, absolute. */
  readonly file: string
  readonly home: string
  /** Root of the project at hand; unknown for a store that serves many. */
  readonly projectRoot?: string
}

export interface ReadTarget {
  /** `missing`: can only be meant as this file, and it is not there. `of-project`: relative to whichever project is at hand. */
  readonly kind: 'found' | 'missing' | 'of-project'
  /** Absolute; of a project, as written. */
  readonly path: string
  /** The file that was looked for, absolute. */
  readonly lookedAt: string
}

/** `./` and `../` mean the entry's folder; a bare name means it too where the file is there, else the project. */
export function readTarget(written: string, places: ReadPlaces): ReadTarget {
  if (written.startsWith('~/')) return fixed(join(places.home, written.slice(2)))
  if (isAbsolute(written)) return fixed(resolve(written))
  const beside = resolve(dirname(places.file), written)
  if (/^\.\.?\//.test(written) || isFile(beside)) return fixed(beside)
  if (places.projectRoot !== undefined) return fixed(resolve(places.projectRoot, written))
  return { kind: 'of-project', path: written, lookedAt: beside }
}

export function isFile(path: string): boolean {
  return stampOf(path)?.kind === 'file'
}

function fixed(path: string): ReadTarget {
  return { kind: isFile(path) ? 'found' : 'missing', path, lookedAt: path }
}
