/**
 * The simple commands of a shell command line, wherever they stand, each with the folder that it runs in.
 *
 * In: the line as the agent wrote it. Out: commands with their words as far as they are known, through wrappers and scripts within
 * scripts, and what could not be analysed. Never throws. A mention (quoted text, a comment, a heredoc for `cat`) is no command.
 */
import { forEachChild, parse } from 'unbash'
import type { Command, ParsedScript, Redirection, Statement, SyntaxNode } from 'unbash'
import { joinFolder } from './folder.ts'
import { beyondBounds, MAX_COMMANDS, MAX_NODES, MAX_SCRIPT_DEPTH, MAX_WRAPPERS } from './limits.ts'
import { printedText } from './printed.ts'
import { innerOf, readsScriptFromInput } from './wrappers.ts'
import { rememberLatest } from './remember.ts'
import { plainWord, resolveWord } from './word.ts'
import type { ShellWord } from './word.ts'

export interface SimpleCommand {
  /** Its basename; null when only the shell can know it, and for redirections without a command. */
  readonly program: string | null
  readonly name: ShellWord
  readonly words: readonly ShellWord[]
  /** Where it runs, relative to the call's folder (`` is that folder), or absolute, or from `~`; null: can't be told. */
  readonly folder: string | null
  readonly redirects: readonly Redirection[]
  /** Its words hold another command, which is listed too. */
  readonly wraps: boolean
}

export interface Analysis {
  readonly commands: readonly SimpleCommand[]
  /** Fixed texts: what was left out. Empty: everything was analysed. */
  readonly notAnalysed: readonly string[]
}

export const NOT_PARSED = 'the command could not be parsed in full'
export const TOO_DEEP = 'the command is nested too deeply'
export const TOO_MANY = 'the command has too many parts'

export const analyse: (line: string) => Analysis = rememberLatest((line = '') => {
  const beyond = beyondBounds(line)
  if (beyond) return { commands: [], notAnalysed: [beyond] }
  const walk = new Walk()
  walk.script(parse(line), { folder: '' }, 0)
  walk.calledFunctions()
  return { commands: walk.commands, notAnalysed: [...walk.notAnalysed] }
}, wordsIn)

function wordsIn({ commands }: Analysis): number {
  return commands.reduce((sum, { words }) => sum + 1 + words.length, 0)
}

/** Basename without `.exe`; null if it is not known. */
export function programOf(name: ShellWord): string | null {
  if (!name.exact || name.glob || name.value === '') return null
  return name.value.slice(name.value.lastIndexOf('/') + 1).replace(/\.exe$/i, '') || null
}

interface Place {
  folder: string | null
}

class Walk {
  readonly commands: SimpleCommand[] = []
  readonly notAnalysed = new Set<string>()
  readonly #functions = new Map<string, SyntaxNode>()
  readonly #called = new Set<string>()
  readonly #entered = new Set<SyntaxNode>()
  #nodes = 0

  script(script: ParsedScript, place: Place, depth: number): void {
    if (depth > MAX_SCRIPT_DEPTH) return void this.notAnalysed.add(TOO_DEEP)
    if (script.errors && script.errors.length > 0) this.notAnalysed.add(NOT_PARSED)
    this.#statements(script.commands, place, depth)
  }

  /** Functions that are called before they are defined, or from another function. */
  calledFunctions(): void {
    for (let size = -1; size !== this.#entered.size;) {
      size = this.#entered.size
      for (const name of this.#called) this.#enter(name, { folder: '' }, 0)
    }
  }

  #enter(name: string, place: Place, depth: number): void {
    const body = this.#functions.get(name)
    if (!body || this.#entered.has(body)) return
    this.#entered.add(body)
    this.#node(body, place, depth)
  }

  #statements(statements: readonly Statement[], place: Place, depth: number): void {
    for (const statement of statements) {
      this.#node(statement.command, statement.background ? { ...place } : place, depth)
    }
  }

  #node(node: SyntaxNode, place: Place, depth: number): void {
    if (this.#isFull()) return
    switch (node.type) {
      case 'Script':
        return this.script(node, { ...place }, depth + 1)
      case 'CompoundList':
        return this.#statements(node.commands, place, depth)
      case 'Function':
        return void this.#functions.set(node.name.value, node.body)
      case 'Command':
        return this.#command(node, null, place, depth)
      case 'Pipeline':
        return node.commands.forEach((command, at) => {
          const own = node.commands.length > 1 ? { ...place } : place
          if (command.type === 'Command') this.#command(command, printedText(node.commands[at - 1]), own, depth)
          else this.#node(command, own, depth)
        })
      case 'AndOr':
        return node.commands.forEach((command) => this.#node(command, place, depth))
      case 'BraceGroup':
        return this.#node(node.body, place, depth)
      case 'Redirected':
        this.#add({ program: null, name: plainWord(''), words: [], folder: place.folder, redirects: node.redirects, wraps: false })
        this.#node(node.command, place, depth)
        return node.redirects.forEach((redirect) => this.#node(redirect, place, depth))
      case 'Word':
        if (node.parts === undefined) return
        return forEachChild(node, (child) => this.#node(child, place, depth))
      default:
        return forEachChild(node, (child) => this.#node(child, { ...place }, depth))
    }
  }

  #command(node: Command, piped: string | null, place: Place, depth: number): void {
    const name = node.name ? resolveWord(node.name) : []
    const words = [...name, ...node.args.flatMap((arg) => (arg.type === 'Word' ? resolveWord(arg) : [plainWord(arg.text)]))]
    this.#simple(words, node.redirects, piped, place, depth)
    forEachChild(node, (child) => this.#node(child, place, depth))
  }

  #simple(words: readonly ShellWord[], redirects: readonly Redirection[], piped: string | null, place: Place, depth: number): void {
    let layers: (readonly ShellWord[])[] = [words]
    for (let level = 0; layers.length > 0; level += 1) {
      if (level > MAX_WRAPPERS) return void this.notAnalysed.add(TOO_DEEP)
      const next: (readonly ShellWord[])[] = []
      for (const layer of layers) {
        const command = simpleCommand(layer, level === 0 ? redirects : [], place.folder)
        if (!this.#add(command)) return
        if (command.program !== null) next.push(...this.#inside(command, command.program, redirects, piped, place, depth))
      }
      layers = next
    }
  }

  /** Walks the scripts that the command runs; gives back the commands that stand in its own words. */
  #inside(
    command: SimpleCommand,
    program: string,
    redirects: readonly Redirection[],
    piped: string | null,
    place: Place,
    depth: number,
  ): (readonly ShellWord[])[] {
    if (program === 'cd' || program === 'pushd') place.folder = joinFolder(place.folder, command.words)
    if (program === 'popd') place.folder = null
    this.#called.add(program)
    this.#enter(program, place, depth)
    if (readsScriptFromInput(program, command.words)) {
      const text = inputText(redirects) ?? piped
      if (text !== null) this.script(parse(text), { ...place }, depth + 1)
    }
    const found: (readonly ShellWord[])[] = []
    for (const inner of innerOf(program, command.words)) {
      if (inner.kind === 'words') found.push(inner.words)
      else this.script(parse(inner.text), program === 'eval' ? place : { ...place }, depth + 1)
    }
    return found
  }

  #add(command: SimpleCommand): boolean {
    this.#nodes += command.words.length
    if (this.#isFull()) return false
    this.commands.push(command)
    return true
  }

  #isFull(): boolean {
    this.#nodes += 1
    if (this.#nodes <= MAX_NODES && this.commands.length < MAX_COMMANDS) return false
    this.notAnalysed.add(TOO_MANY)
    return true
  }
}

function simpleCommand(words: readonly ShellWord[], redirects: readonly Redirection[], folder: string | null): SimpleCommand {
  const name = words[0] ?? plainWord('')
  const program = programOf(name)
  const rest = words.slice(1)
  const wraps = program !== null && program !== 'find' && innerOf(program, rest).length > 0
  return { program, name, words: rest, folder, redirects, wraps }
}

/** The text that a heredoc or a here-string feeds to a command; null if there is none. */
function inputText(redirects: readonly Redirection[]): string | null {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text
    if (redirect.type === 'HereString' && redirect.target) return resolveWord(redirect.target)[0]?.shown ?? null
  }
  return null
}
