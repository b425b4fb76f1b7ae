/**
 * A failure that the command itself hides by printing it: `npm test; echo "exit=$?"`.
 *
 * In: the command line and the result's text. Out: true if a command of the line prints a status, its line stands in the result, and
 * the status there is not 0. What a file happens to say is no status: the print must stand in the parsed command.
 */
import { analyse } from './command/parse.ts'
import type { SimpleCommand } from './command/parse.ts'
import { compileRegex } from './regex.ts'

/** Characters at the end of a result in which the printed status is looked for. */
const LOOKED_AT = 64 * 1024
/** With so much text before it, a status is found even where the output before it ended without a line end. */
const TELLING_PREFIX = 3
/** Stands for a dollar sign that is text and no variable. */
const DOLLAR = '\u0000'
const STATUS_ASSIGNMENT = /\b([A-Za-z_]\w*)=["']?\$(?:\?|\{\?\}|\{PIPESTATUS\[\d+\]\})/g

export function masksFailure(command: string, output: string): boolean {
  if (!printsStatus(command)) return false
  const names = new Set(['?', 'PIPESTATUS'])
  for (const [, name] of command.matchAll(STATUS_ASSIGNMENT)) if (name !== undefined) names.add(name)
  const lines = output.slice(-LOOKED_AT).split(/\r?\n/)
  return analyse(command).commands.some((simple) => printedStatus(simple, names, lines) > 0)
}

/** False if the line surely prints no status: then it need not be parsed. */
export function printsStatus(command: string): boolean {
  return command.includes('$?') || command.includes('${?}') || command.includes('PIPESTATUS')
}

/** The status that this command printed into the result; 0 also when it printed none. */
function printedStatus(command: SimpleCommand, names: ReadonlySet<string>, lines: readonly string[]): number {
  const template = printedLine(command, names)
  const regex = template === null ? null : compileRegex({ source: template, flags: '' })
  if (regex === null) return 0
  for (const line of lines.toReversed()) {
    const found = regex.matcher(line.trim())
    if (found.find()) return Number(found.group(1))
  }
  return 0
}

/** A regex for the line in which `echo` or `printf` puts the status; null if it prints none. */
function printedLine({ program, words }: SimpleCommand, names: ReadonlySet<string>): string | null {
  if (program !== 'echo' && program !== 'printf') return null
  const shown = words
    .filter((word, at) => !(at === 0 && /^-[neE]+$/.test(word.value)))
    .map((word) => (word.exact ? word.value.replaceAll('$', DOLLAR) : word.shown))
  const text = program === 'printf' ? filled(shown) : shown.join(' ')
  const isStatus = (part: string) => part.startsWith('$') && names.has(part.slice(1))
  for (const line of text.split(/\\n|\n/)) {
    const parts = line.trim().split(/(\$(?:\w+|\?|\(\)))/)
    const at = parts.findIndex(isStatus)
    if (at < 0) continue
    const source = parts.map((part, index) => (index === at ? '(\\d{1,3})' : part.startsWith('$') ? '.*' : quote(part))).join('')
    return `${(parts[0] ?? '').length >= TELLING_PREFIX ? '' : '^'}${source}$`
  }
  return null
}

/** `printf 'exit %d\n' $?`: the format with its arguments put in. */
function filled([format = '', ...values]: readonly string[]): string {
  let at = 0
  return format.replaceAll(/%[-0-9]*[sdi]/g, () => values[at++] ?? '')
}

const quote = (text: string) => text.replaceAll(DOLLAR, '$').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
