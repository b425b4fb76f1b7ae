/**
 * Turns a word of a parsed command into what is known of it before the shell expands it.
 *
 * Quotes and escapes are taken away, braces are expanded, `$HOME` and `$PWD` become `~` and `.`, a heredoc that is read by `$(cat <<…)`
 * becomes its text. Everything else that only the shell can know ends the known part.
 */
import type { DoubleQuotedChild, Word, WordPart } from 'unbash'
import { MAX_BRACE_WORDS } from './limits.ts'

export interface ShellWord {
  /** What is known of the word, from its beginning. */
  readonly value: string
  /** True if `value` is the whole word. */
  readonly exact: boolean
  /** The word with `$name` where something is unknown: what a pattern over the command sees. */
  readonly shown: string
  /** It begins with the home folder, written `~` in `value`. */
  readonly home: boolean
  /** It holds unquoted glob characters, kept in `value`. */
  readonly glob: boolean
  /** Unquoted and unknown: it may become no word, or several. */
  readonly splits: boolean
}

export function plainWord(value: string): ShellWord {
  return { value, exact: true, shown: value, home: false, glob: false, splits: false }
}

export function resolveWord(word: Word): readonly ShellWord[] {
  const parts = word.parts
  if (parts === undefined) return [bareWord(word.value, word.text)]
  if (!parts.some((part) => part.type === 'BraceExpansion')) return [resolveParts(parts)]
  return expandBraces(parts).map((choice) => resolveParts(choice))
}

function bareWord(value: string, text: string): ShellWord {
  return { value, exact: true, shown: value, home: isHome(text), glob: false, splits: false }
}

const isHome = (text: string) => text === '~' || text.startsWith('~/')

interface Building {
  value: string
  shown: string
  exact: boolean
  home: boolean
  glob: boolean
  splits: boolean
}

function resolveParts(parts: readonly WordPart[]): ShellWord {
  const word: Building = { value: '', shown: '', exact: true, home: false, glob: false, splits: false }
  for (const part of parts) addPart(word, part)
  return word
}

function addPart(word: Building, part: WordPart): void {
  switch (part.type) {
    case 'Literal':
      if (word.shown === '' && isHome(part.text)) word.home = true
      return addKnown(word, part.value)
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return addKnown(word, part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      for (const child of part.parts) addChild(word, child, true)
      return
    case 'Glob':
      word.glob = true
      return addKnown(word, part.text)
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      return addChild(word, part, false)
    case 'ExtendedGlob':
    case 'BraceExpansion':
    case 'ProcessSubstitution':
      return addUnknown(word, '$()', false)
    default:
      return part satisfies never
  }
}

function addChild(word: Building, part: DoubleQuotedChild, quoted: boolean): void {
  switch (part.type) {
    case 'Literal':
      return addKnown(word, part.value)
    case 'SimpleExpansion':
      return addVariable(word, part.text.slice(1), part.text, quoted)
    case 'ParameterExpansion':
      if (part.prefix || part.index || part.operation) return addUnknown(word, `$${part.parameter}`, !quoted)
      return addVariable(word, part.parameter, `$${part.parameter}`, quoted)
    case 'CommandExpansion': {
      const text = heredocText(part)
      if (text !== null && quoted) return addKnown(word, text)
      return addUnknown(word, '$()', !quoted)
    }
    case 'ArithmeticExpansion':
      return addUnknown(word, '$()', false)
    default:
      return part satisfies never
  }
}

function addVariable(word: Building, name: string, shown: string, quoted: boolean): void {
  if (word.shown === '' && name === 'HOME') {
    word.home = true
    return addKnown(word, '~')
  }
  if (word.shown === '' && name === 'PWD') return addKnown(word, '.')
  addUnknown(word, shown, !quoted)
}

function addKnown(word: Building, text: string): void {
  if (word.exact) word.value += text
  word.shown += text
}

function addUnknown(word: Building, shown: string, splits: boolean): void {
  word.exact = false
  word.shown += shown
  if (splits) word.splits = true
}

/** The text of `$(cat <<'EOF' … EOF)`, as agents write their commit messages; null if it is anything else. */
function heredocText(part: Extract<DoubleQuotedChild, { type: 'CommandExpansion' }>): string | null {
  if (!/^\$\(\s*cat\s*<</.test(part.text)) return null
  const statement = part.script?.commands.length === 1 ? part.script.commands[0] : undefined
  const command = statement?.command
  if (command?.type !== 'Command' || command.name?.value !== 'cat' || command.args.length > 0) return null
  const [heredoc, ...others] = command.redirects
  if (heredoc?.type !== 'HereDoc' || others.length > 0) return null
  if (!heredoc.delimiter?.quoted && heredoc.body.parts?.some((child) => child.type !== 'Literal')) return null
  return heredoc.body.text.replace(/\n+$/, '')
}

/** `src/{a,b}.ts`: each word that the braces stand for. A brace that is a range, nested or too wide stays as it is: unknown. */
function expandBraces(parts: readonly WordPart[]): readonly (readonly WordPart[])[] {
  let choices: (readonly WordPart[])[] = [[]]
  for (const part of parts) {
    const options = part.type === 'BraceExpansion' ? braceOptions(part) : [part]
    if (choices.length * options.length > MAX_BRACE_WORDS) return [parts]
    choices = choices.flatMap((choice) => options.map((option) => [...choice, option]))
  }
  return choices
}

function braceOptions(part: Extract<WordPart, { type: 'BraceExpansion' }>): readonly WordPart[] {
  const inner = part.text.slice(1, -1)
  if (!inner.includes(',') || /[{}$`"'\\()]/.test(inner)) return [part]
  return inner.split(',').map((value) => ({ type: 'Literal', pos: part.pos, end: part.end, value, text: value }))
}
