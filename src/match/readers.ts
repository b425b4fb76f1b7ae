/** Programs that print the files that they are given, and which of their words are those files. */
import { optionsOf } from './command/options.ts'
import type { ShellWord } from './command/word.ts'

export const READERS: ReadonlySet<string> = new Set('cat head tail sed less more bat batcat nl tac awk gawk mawk'.split(' '))
/** Programs that pass on what they are fed, as far as a line can be told again. */
export const FILTERS: ReadonlySet<string> = new Set([...READERS, 'tee', 'fold'])

/** The words that name files; null if the program, called so, prints no file (`sed -i`). */
export function filesRead(program: string, words: readonly ShellWord[]): readonly ShellWord[] | null {
  const { positional, flags } = splitWords(program, words)
  if (program === 'sed' && flags.some((flag) => /^-[a-zA-Z]*i|^--in-place/.test(flag))) return null
  const isAwk = program.endsWith('awk')
  if (isAwk && words.some((word) => word.value === 'inplace')) return null
  const hasScript = flags.some((flag) => /^-[a-zA-Z]*[ef]$|^--(?:expression|file|source)/.test(flag))
  const files = (program === 'sed' || isAwk) && !hasScript ? positional.slice(1) : positional
  return files.filter((word) => word.value !== '-' && !word.value.startsWith('+') && !(isAwk && /^\w+=/.test(word.value)))
}

/** Parts a program's words into flags and the rest; values of options are neither. */
export function splitWords(program: string, words: readonly ShellWord[]): { positional: readonly ShellWord[]; flags: readonly string[] } {
  const options = optionsOf(program)
  const positional: ShellWord[] = []
  const flags: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word) break
    if (word.value === '--') {
      positional.push(...words.slice(at + 1))
      break
    }
    if (!/^-./.test(word.value)) {
      positional.push(word)
      continue
    }
    flags.push(word.value)
    const last = options.find(word.value) ?? (word.value.startsWith('--') ? undefined : lastOfBundle(word.value, options))
    if (last?.value === 'next') at += 1
  }
  return { positional, flags }
}

/** The option that a bundle ends in, if no letter before it takes the rest as its value. */
function lastOfBundle(bundle: string, options: ReturnType<typeof optionsOf>) {
  const letters = bundle.slice(1).split('')
  const taking = letters.findIndex((letter) => options.find(`-${letter}`)?.value === 'next')
  return taking === letters.length - 1 ? options.find(`-${letters[taking]}`) : undefined
}
