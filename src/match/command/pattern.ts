/**
 * A command pattern: program, leading words, flags that must be there. `git push --force`.
 *
 * Its words are looked for over options in between (`git -C dir push`), with what is known of which options take a value; an option
 * that nothing is known of is read both ways. A flag matches under each of its names, in a bundle of short flags, and for a forced
 * `git push` as a `+refspec`. A word that only the shell can know matches nothing.
 */
import { parse } from 'unbash'
import { CommandOptions, optionsOf } from './options.ts'
import type { SimpleCommand } from './parse.ts'
import { programOf } from './parse.ts'
import { plainWord, resolveWord } from './word.ts'
import type { ShellWord } from './word.ts'

export interface Flag {
  readonly name: string
  readonly value: string | null
}

export interface CommandPattern {
  readonly program: string
  readonly words: readonly string[]
  readonly flags: readonly Flag[]
}

export type ParsedPattern = { readonly ok: true; readonly pattern: CommandPattern } | { readonly ok: false; readonly why: string }

export function parsePattern(text: string): ParsedPattern {
  const script = parse(text)
  const [statement, ...others] = script.commands
  if (script.errors?.length) return { ok: false, why: 'it is no complete command' }
  if (statement?.command.type !== 'Command' || others.length > 0 || statement.background) {
    return { ok: false, why: 'it must be one simple command: a program, words, flags' }
  }
  const { name, args, redirects, prefix } = statement.command
  if (redirects.length > 0) return { ok: false, why: 'a redirection is no part of a command pattern' }
  if (prefix.length > 0 || !name) return { ok: false, why: 'a variable in front is no part of a command pattern' }
  const words = args.flatMap((arg) => (arg.type === 'Word' ? resolveWord(arg) : [plainWord(arg.text)]))
  const program = resolveWord(name)[0]
  const known = program && programOf(program)
  if (!known || words.some((word) => !word.exact || word.glob)) {
    return {
      ok: false,
      why: 'variables and wildcards are not known before the shell runs; what follows the leading words is left open anyway',
    }
  }
  return {
    ok: true,
    pattern: patternOf(
      known,
      words.map((word) => word.value),
    ),
  }
}

function patternOf(program: string, tokens: readonly string[]): CommandPattern {
  const words: string[] = []
  const flags: Flag[] = []
  let options = optionsOf(program)
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? ''
    if (!isFlag(token)) {
      words.push(token)
      options = options.command(token) ?? options
      continue
    }
    const [name, attached] = splitFlag(token)
    const next = tokens[at + 1]
    const takesNext = attached === null && next !== undefined && !isFlag(next) && options.find(name)?.value === 'next'
    flags.push({ name, value: takesNext ? next : attached })
    if (takesNext) at += 1
  }
  return { program, words, flags }
}

const isFlag = (text: string) => /^-./.test(text) && text !== '--'

function splitFlag(text: string): [name: string, value: string | null] {
  const at = text.indexOf('=')
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}

export function matchesPattern(pattern: CommandPattern, command: SimpleCommand): boolean {
  if (command.program !== pattern.program) return false
  const options = optionsOf(pattern.program)
  if (!hasLeadingWords(pattern.words, command.words, options)) return false
  if (pattern.flags.length === 0) return true
  const seen = flagsOf(command.words, options)
  if (pattern.program === 'git' && pattern.words[0] === 'push' && seen.forced) seen.flags.push({ names: ['-f', '--force'], value: null })
  return pattern.flags.every((flag) => hasFlag(flag, seen.flags))
}

function hasLeadingWords(wanted: readonly string[], words: readonly ShellWord[], root: CommandOptions): boolean {
  const failed = new Set<number>()
  const from = (start: number, found: number, options: CommandOptions): boolean => {
    if (found === wanted.length) return true
    const key = start * (wanted.length + 1) + found
    if (failed.has(key)) return false
    const answer = step(start, found, options)
    if (!answer) failed.add(key)
    return answer
  }
  const step = (start: number, found: number, options: CommandOptions): boolean => {
    let onlyWords = false
    for (let at = start; at < words.length; at += 1) {
      const word = words[at]
      if (!word) return false
      if (!onlyWords && word.exact && word.value === '--') {
        onlyWords = true
      } else if (!onlyWords && isFlag(word.value)) {
        const takes = takesNextWord(word.value, options)
        if (takes === 'yes') at += 1
        else if (takes === 'perhaps' && words[at + 1] && !isFlag(words[at + 1]?.value ?? '')) {
          if (from(at + 2, found, options)) return true
        }
      } else {
        const target = wanted[found]
        if (target === undefined || !word.exact || word.glob || !isSameWord(word.value, target, options)) return false
        return from(at + 1, found + 1, options.command(word.value) ?? options)
      }
    }
    return false
  }
  return from(0, 0, root)
}

function isSameWord(word: string, wanted: string, options: CommandOptions): boolean {
  return word === wanted || options.aliases(wanted).includes(word)
}

function takesNextWord(text: string, options: CommandOptions): 'yes' | 'no' | 'perhaps' {
  if (text.includes('=')) return 'no'
  const whole = options.find(text)
  if (whole) return whole.value === 'next' ? 'yes' : whole.value === 'either' ? 'perhaps' : 'no'
  if (text.startsWith('--') || options.isLong || /^-\d+$/.test(text)) return /^-\d+$/.test(text) ? 'no' : 'perhaps'
  const letters = text.slice(1).split('')
  for (const [at, letter] of letters.entries()) {
    const option = options.find(`-${letter}`)
    const isLast = at === letters.length - 1
    if (option?.value === 'next') return isLast ? 'yes' : 'no'
    if (isLast && (!option || option.value === 'either')) return 'perhaps'
  }
  return 'no'
}

interface SeenFlag {
  readonly names: readonly string[]
  readonly value: string | null
}

/** All flags of a command, each under all of its names. `forced`: a `+refspec` stands among the words. */
function flagsOf(words: readonly ShellWord[], root: CommandOptions): { flags: SeenFlag[]; forced: boolean } {
  const flags: SeenFlag[] = []
  let options = root
  let forced = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word) break
    if (word.exact && word.value === '--') {
      forced ||= words.slice(at + 1).some((rest) => rest.value.startsWith('+'))
      break
    }
    if (!isFlag(word.value)) {
      forced ||= word.value.startsWith('+')
      options = (word.exact && options.command(word.value)) || options
      continue
    }
    const next = words[at + 1]
    const value = next?.exact && !isFlag(next.value) ? next.value : null
    if (addFlags(flags, word, value, options)) at += 1
  }
  return { flags, forced }
}

/** Adds what one word holds. True if the next word is surely the value of its last flag. */
function addFlags(flags: SeenFlag[], word: ShellWord, next: string | null, options: CommandOptions): boolean {
  const [name, attached] = splitFlag(word.value)
  // The known part of a word that goes on with something unknown names a flag only if it reaches the equals sign.
  if (!word.exact && attached === null) return false
  const whole = options.find(name)
  if (whole || name.startsWith('--') || options.isLong || attached !== null) {
    flags.push({ names: whole?.names ?? [name], value: attached ?? (word.exact ? next : null) })
    // `-DNAME=value`: the letter is the flag.
    if (!whole && /^-[a-zA-Z]\w/.test(name) && !options.isLong) flags.push({ names: [name.slice(0, 2)], value: word.value.slice(2) })
    return whole?.value === 'next' && attached === null
  }
  flags.push({ names: [name], value: next })
  const letters = name.slice(1)
  for (let at = 0; at < letters.length; at += 1) {
    const option = options.find(`-${letters[at]}`)
    const rest = letters.slice(at + 1)
    const takes = option?.value === 'next'
    flags.push({ names: option?.names ?? [`-${letters[at]}`], value: takes && rest !== '' ? rest : rest === '' ? next : null })
    if (takes) return rest === ''
  }
  return false
}

function hasFlag(wanted: Flag, seen: readonly SeenFlag[]): boolean {
  const has = (name: string, value: string | null) =>
    seen.some((flag) => flag.names.includes(name) && (value === null || flag.value === value))
  if (has(wanted.name, wanted.value)) return true
  if (!/^-[a-zA-Z]{2,}$/.test(wanted.name)) return false
  return wanted.name
    .slice(1)
    .split('')
    .every((letter) => has(`-${letter}`, null))
}
