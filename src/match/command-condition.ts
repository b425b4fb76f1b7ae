/** One pattern of the `command` key: words and flags, or a regex over the normalised command. */
import { fold } from './text.ts'
import { SAFE_WORD } from './command/normal.ts'
import type { Normal } from './command/normal.ts'
import { optionsOf } from './command/options.ts'
import { matchesPattern, parsePattern } from './command/pattern.ts'
import type { CommandPattern } from './command/pattern.ts'
import { requiredLiterals } from './literals.ts'
import type { Choices } from './choices.ts'
import { LazyRegex, regexSource } from './regex.ts'
import type { Regex } from './regex.ts'
import type { SeenCommand, View } from './view.ts'

export interface CommandTest {
  /** Over the folded text that `indexedCommand` makes of each command. */
  readonly choices: Choices
  isMet(seen: SeenCommand, view: View): boolean
}

export function commandTest(pattern: string): CommandTest {
  const source = regexSource(pattern)
  if (source !== null) {
    const regex = new LazyRegex(source)
    return {
      choices: requiredLiterals(source.source),
      isMet({ normal }, view) {
        const found = regex.found(normal.text, view)
        return found !== null && isUse(found, normal)
      },
    }
  }
  const parsed = parsePattern(pattern)
  if (!parsed.ok) return { choices: [], isMet: () => false }
  return { choices: choicesOf(parsed.pattern), isMet: ({ command }) => matchesPattern(parsed.pattern, command) }
}

/** How a command stands in the text that the index searches: between line end and space, so that whole words can be looked for. */
export function indexedCommand(normal: Normal): string {
  return `\n${fold(normal.text)} `
}

function choicesOf({ program, words }: CommandPattern): Choices {
  const choices: string[][] = [[`\n${fold(program)} `]]
  let options = optionsOf(program)
  for (const word of words) {
    choices.push(options.aliases(word).map((name) => (SAFE_WORD.test(name) ? ` ${fold(name)} ` : fold(name))))
    options = options.command(word) ?? options
  }
  return choices
}

/** A match that begins inside quoted text, or behind the name of a program that only prints or searches, is a mention. */
function isUse(regex: Regex, { text, quoted, onlyMentions }: Normal): boolean {
  const matcher = regex.matcher(text)
  for (let from = 0; from <= text.length && matcher.find(from);) {
    const start = matcher.start()
    if (start === 0) return true
    if (onlyMentions) return false
    const around = quoted.find(([open, close]) => start >= open && start < close)
    if (!around) return true
    from = around[1]
  }
  return false
}
