/**
 * Path globs of an entry: from the project's root, absolute, or from `~`.
 *
 * In: globs as people write them (lists, commas and quotes are tolerated, `!` takes away). Out: whether a path matches. Files whose
 * names begin with a dot are files like others; a glob that ends in a slash is the whole folder.
 */
import { posix } from 'node:path'
import type { Choices } from './choices.ts'
import { globRegex } from './glob-regex.ts'
import { requiredLiterals } from './literals.ts'
import { LazyRegex } from './regex.ts'
import type { Allowance } from './regex.ts'

/** Longer paths are not matched: no file system has them, and a glob's cost may grow faster than the path. */
export const MAX_PATH = 4_096

export interface GlobOptions {
  /** File systems that do not tell upper from lower case. */
  readonly ignoreCase: boolean
}

/** A path under the names by which a glob may know it. */
export interface SeenPath {
  /** Absolute: as named, and with symlinks resolved. */
  readonly absolute: readonly string[]
  /** From each root of the project that it lies in. */
  readonly relative: readonly string[]
}

export interface PathPattern {
  /** For each glob that lets in, over the folded absolute path. */
  readonly choices: readonly Choices[]
  test(path: SeenPath, home: string, allowance: Allowance): boolean
}

export function pathPattern(globs: readonly string[], options: GlobOptions): PathPattern {
  const all = globs.flatMap(splitGlobs)
  const wanted = all.filter((glob) => !isNegated(glob)).map((glob) => oneGlob(glob, options))
  const unwanted = all.filter(isNegated).map((glob) => oneGlob(glob.slice(1), options))
  if (wanted.length === 0 && unwanted.length > 0) wanted.push(oneGlob('**', options))
  return {
    choices: wanted.map((glob) => glob.choices),
    test: (path, home, allowance) =>
      wanted.some((glob) => glob.test(path, home, allowance)) && !unwanted.some((glob) => glob.test(path, home, allowance)),
  }
}

const isNegated = (glob: string) => glob.startsWith('!') && glob[1] !== '('

/** `"src/**, test/**"`, `[a, b]`, `'a'`: the globs in one text. A comma within brackets of any kind belongs to the glob. */
export function splitGlobs(text: string): readonly string[] {
  const bare = unquote(text.trim())
  const list = /^\[(.*,.*)\]$/s.exec(bare)?.[1] ?? bare
  const globs: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= list.length; at += 1) {
    const char = list[at]
    if (char === '{' || char === '(' || char === '[') depth += 1
    else if ((char === '}' || char === ')' || char === ']') && depth > 0) depth -= 1
    else if (char === undefined || (char === ',' && depth === 0)) {
      const glob = unquote(list.slice(start, at).trim())
      if (glob !== '') globs.push(glob)
      start = at + 1
    }
  }
  return globs
}

function unquote(text: string): string {
  const quote = text[0] ?? ''
  const isQuoted = '"\'`'.includes(quote) && text.length > 1 && text.indexOf(quote, 1) === text.length - 1
  return isQuoted ? text.slice(1, -1).trim() : text
}

interface OneGlob {
  readonly choices: Choices
  test(path: SeenPath, home: string, allowance: Allowance): boolean
}

function oneGlob(written: string, { ignoreCase }: GlobOptions): OneGlob {
  const glob = plainGlob(written)
  const translated = glob === null ? null : globRegex(glob)
  if (glob === null || !translated?.ok) return { choices: [], test: () => false }
  const flags = ignoreCase ? 'is' : 's'
  const fromHome = /^~(?=$|\/)/.test(glob)
  const isAbsolute = fromHome || glob.startsWith('/')
  const { source } = fromHome ? { source: translated.source.replace('~', '') } : translated
  const regex = new LazyRegex({ source, flags })
  return {
    choices: requiredLiterals(source),
    test(path, home, allowance) {
      const matches = (name: string) => name.length <= MAX_PATH && regex.test(name, allowance)
      if (!isAbsolute) return path.relative.some(matches)
      if (!fromHome) return path.absolute.some(matches)
      return path.absolute.some((name) => isInside(name, home) && matches(name.slice(home.length)))
    },
  }
}

const isInside = (path: string, folder: string) => path === folder || path.startsWith(folder + '/')

/** Without `./` and needless repetition; a folder is all that is in it. Null if it leads out of the project. */
export function plainGlob(written: string): string | null {
  const short = written.replace(/^(?:\.\/)+/, '').replaceAll(/(?:\*\*\/)+(?=\*\*\/)/g, '')
  const glob = short.endsWith('/') ? `${short}**` : short
  return /^(?:\.\.\/|\.\.$)/.test(glob) || glob === '' ? null : glob
}

/** The names of a path that globs are tried on. `roots`: every folder that counts as the project's root, as named and resolved. */
export function seenPath(names: readonly string[], roots: readonly string[]): SeenPath {
  const relative = new Set<string>()
  for (const name of names) {
    for (const root of roots) {
      const inside = posix.relative(root, name)
      if (inside !== '' && inside !== '..' && !inside.startsWith('../')) relative.add(inside)
    }
  }
  return { absolute: names, relative: [...relative] }
}
