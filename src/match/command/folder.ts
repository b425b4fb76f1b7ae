/** Where `cd` leads. Folders are relative to the call's own (`` is that one), absolute, or from `~`; null: can't be told. */
import { posix } from 'node:path'
import type { ShellWord } from './word.ts'

export function joinFolder(folder: string | null, words: readonly ShellWord[]): string | null {
  const targets = words.filter((word) => !/^-[LPe@]+$|^--$/.test(word.value))
  if (targets.length === 0) return '~'
  const [target] = targets
  if (!target || targets.length > 1 || !target.exact || target.glob || target.value === '-' || target.value === '') return null
  return joinPath(folder, target)
}

/** A word taken as a path, from a folder; null if either is not known. */
export function joinPath(folder: string | null, word: ShellWord): string | null {
  if (!word.exact) return null
  if (word.home || word.value.startsWith('/')) return posix.normalize(word.value)
  if (folder === null) return null
  return folder === '' ? posix.normalize(word.value) : posix.join(folder, word.value)
}

/** Absolute form of such a folder or path. */
export function absolute(path: string, cwd: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return posix.join(home, path.slice(1))
  return posix.resolve(cwd, path)
}
