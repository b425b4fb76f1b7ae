/**
 * Which files a shell command reads such that its success proves it (law 12).
 *
 * In: the command line and its folder. Out: absolute paths. A file counts when a reader printed it and the reader's own success follows
 * from the call's: it is the last command, or in an `&&` chain to the end. One more form is taken, because agents read like that and
 * nothing else on the line could print the file's lines: a single reader whose output goes through filters only (`cat F | head -50`).
 * The caller still has to see a line of the file in the result.
 */
import { parse } from 'unbash'
import type { AndOr, Command, Pipeline, Redirection, Statement, SyntaxNode } from 'unbash'
import { absolute, joinFolder, joinPath } from './command/folder.ts'
import { beyondBounds, MAX_SCRIPT_DEPTH } from './command/limits.ts'
import { analyse, programOf } from './command/parse.ts'
import { rememberLatest } from './command/remember.ts'
import { plainWord, resolveWord } from './command/word.ts'
import type { ShellWord } from './command/word.ts'
import { innerOf, SHELLS } from './command/wrappers.ts'
import { FILTERS, filesRead, READERS } from './readers.ts'

export { hasLineOf } from './line-of.ts'
export { masksFailure } from './masked.ts'

export interface ReadsOptions {
  /** Home folder, for `~`. Without it such paths are not known. */
  readonly home?: string
}

/** Wrappers that print nothing themselves and end as their command ends. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'sudo doas env command builtin exec nice ionice nohup time timeout gtimeout stdbuf'.split(' '),
)
/** Commands that print no file's lines. */
const QUIET: ReadonlySet<string> = new Set('cd pushd set export test [ true : sleep'.split(' '))

export function readsIn(command: string, cwd: string, { home }: ReadsOptions = {}): readonly string[] {
  return home === undefined ? pathsRead(command, cwd) : pathsRead(command, cwd, home)
}

const pathsRead = rememberLatest(
  (command = '', cwd = '', home?: string): readonly string[] => {
    if (beyondBounds(command) !== null) return []
    const script = parse(command)
    if (script.errors?.length) return []
    const reads = new Set<string>()
    const proof = new Proof(countOfSources(command), (path) => {
      if (home !== undefined || !path.startsWith('~')) reads.add(absolute(path, cwd, home ?? ''))
    })
    proof.statements(script.commands, { folder: '' }, 0)
    return [...reads]
  },
  ({ length }) => length,
)

/** Commands of the line that could print something. */
function countOfSources(line: string): number {
  return analyse(line).commands.filter(
    ({ program, name }) => name.value !== '' && !(program !== null && (QUIET.has(program) || TRANSPARENT.has(program))),
  ).length
}

interface Place {
  /** Folder at this point, as in `folder.ts`; null: can't be told. */
  folder: string | null
}

class Proof {
  readonly #sources: number
  readonly #found: (path: string) => void

  constructor(sources: number, found: (path: string) => void) {
    this.#sources = sources
    this.#found = found
  }

  /** Statements whose last one's success is known. */
  statements(statements: readonly Statement[], place: Place, depth: number): void {
    const isStrict = statements[0] !== undefined && setsStopOnError(statements[0])
    for (const [at, statement] of statements.entries()) {
      const isProven = (isStrict || at === statements.length - 1) && !statement.background
      if (isProven) this.#node(statement.command, place, depth)
      else forgetFolder(statement, place)
    }
  }

  #node(node: SyntaxNode, place: Place, depth: number): void {
    if (depth > MAX_SCRIPT_DEPTH) return
    switch (node.type) {
      case 'AndOr':
        return this.#chain(node, place, depth)
      case 'Pipeline':
        return this.#pipeline(node, place, depth)
      case 'Command':
        return this.#simple(wordsOf(node), node.redirects, place, depth)
      case 'BraceGroup':
        return this.statements(node.body.commands, place, depth + 1)
      case 'Subshell':
        return this.statements(node.body.commands, { ...place }, depth + 1)
      case 'Redirected':
        return sendsOutputAway(node.redirects) ? undefined : this.#node(node.command, place, depth)
      default:
        return forgetFolder(node, place)
    }
  }

  /** Operands behind the last `||` and its right side have succeeded if the chain has. */
  #chain(node: AndOr, place: Place, depth: number): void {
    const firstProven = node.operators.lastIndexOf('||') + 2
    for (const [at, operand] of node.commands.entries()) {
      if (at >= firstProven || !node.operators.includes('||')) this.#node(operand, place, depth)
      else forgetFolder(operand, place)
    }
  }

  #pipeline(node: Pipeline, place: Place, depth: number): void {
    if (node.prefixes.some((prefix) => prefix.type === 'Negation')) return
    const last = node.commands.at(-1)
    if (!last) return
    const own = node.commands.length > 1 ? { ...place } : place
    this.#node(last, own, depth)
    if (node.commands.length < 2 || this.#sources !== node.commands.length) return
    const [source, ...filters] = node.commands
    if (source?.type === 'Command' && filters.every(isFilter)) this.#simple(wordsOf(source), source.redirects, { ...place }, depth)
  }

  #simple(words: readonly ShellWord[], redirects: readonly Redirection[], place: Place, depth: number): void {
    const [name, ...rest] = words
    const program = name && programOf(name)
    if (!program || depth > MAX_SCRIPT_DEPTH) return
    if (program === 'cd' || program === 'pushd') place.folder = joinFolder(place.folder, rest)
    if (program === 'popd' || program === 'eval' || program === 'source' || program === '.') place.folder = null
    if (sendsOutputAway(redirects)) return
    if (TRANSPARENT.has(program) || SHELLS.has(program)) {
      for (const inner of innerOf(program, rest)) {
        if (inner.kind === 'words') this.#simple(inner.words, redirects, place, depth + 1)
        else this.#script(inner.text, place, depth + 1)
      }
    }
    if (READERS.has(program)) this.#reader(program, rest, redirects, place)
  }

  #script(text: string, place: Place, depth: number): void {
    const script = parse(text)
    if (!script.errors?.length) this.statements(script.commands, { ...place }, depth)
  }

  #reader(program: string, words: readonly ShellWord[], redirects: readonly Redirection[], place: Place): void {
    const files = filesRead(program, words)
    if (files === null) return
    for (const word of files.length > 0 ? files : inputFiles(redirects)) {
      const path = word.glob ? null : joinPath(place.folder, word)
      if (path !== null) this.#found(path)
    }
  }
}

function wordsOf(node: Command): readonly ShellWord[] {
  const name = node.name ? resolveWord(node.name) : []
  return [...name, ...node.args.flatMap((arg) => (arg.type === 'Word' ? resolveWord(arg) : [plainWord(arg.text)]))]
}

function setsStopOnError(statement: Statement): boolean {
  const { command } = statement
  return command.type === 'Command' && command.name?.value === 'set' && command.args.some((arg) => /^-[a-zA-Z]*e/.test(arg.text))
}

/** What ran without proof may have changed the folder. */
function forgetFolder(node: SyntaxNode, place: Place): void {
  if (node.type === 'Command' && !/^(?:.*\/)?(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(node.name?.value ?? '')) return
  if (node.type === 'Statement') return forgetFolder(node.command, place)
  if (node.type === 'Pipeline' || node.type === 'AndOr') return node.commands.forEach((command) => forgetFolder(command, place))
  if (node.type === 'Subshell' || node.type === 'Function') return
  place.folder = null
}

function isFilter(node: SyntaxNode): boolean {
  if (node.type !== 'Command' || sendsOutputAway(node.redirects)) return false
  const [name, ...rest] = wordsOf(node)
  const program = name && programOf(name)
  if (!program || !FILTERS.has(program) || inputFiles(node.redirects).length > 0) return false
  return program === 'tee' || program === 'fold' || filesRead(program, rest)?.length === 0
}

/** True if standard output does not reach the call's result. */
function sendsOutputAway(redirects: readonly Redirection[]): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect') return false
    const { operator, descriptor } = redirect
    const target = redirect.target?.value ?? ''
    if (/^(?:\d+|\/dev\/(?:stdout|stderr|tty))$/.test(target)) return false
    if (operator === '&>' || operator === '&>>') return true
    const isOutput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1)
    return isOutput && (operator === '>' || operator === '>>' || operator === '>|' || operator === '>&')
  })
}

function inputFiles(redirects: readonly Redirection[]): readonly ShellWord[] {
  const inputs = redirects.filter((redirect) => redirect.type !== 'Redirect' || redirect.operator === '<')
  const last = inputs.at(-1)
  return last?.type === 'Redirect' && last.target ? resolveWord(last.target) : []
}
