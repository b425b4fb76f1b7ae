/**
 * A moment as the conditions of entries look at it: each part made once, and only if some condition asks for it.
 */
import type { ToolCall, ToolResult } from '../core/moment.ts'
import { normalise } from './command/normal.ts'
import type { Normal } from './command/normal.ts'
import { analyse } from './command/parse.ts'
import type { Analysis, SimpleCommand } from './command/parse.ts'
import { seenPath } from './glob.ts'
import type { SeenPath } from './glob.ts'
import type { Subject } from './match.ts'
import type { Allowance } from './regex.ts'
import { projectNames } from './scope.ts'
import type { ProjectNames } from './scope.ts'
import { masksFailure, printsStatus } from './masked.ts'
import { pathsOf } from './paths-in.ts'
import { Text } from './text.ts'

/** What a condition looks at. */
export type Channel = 'session' | 'prompt' | 'command' | 'path' | 'tool' | 'content' | 'output' | 'failed'

/** When an item of `when` speaks. */
export type Phase = 'session' | 'prompt' | 'before' | 'after'

export interface SeenCommand {
  readonly command: SimpleCommand
  readonly normal: Normal
}

export interface SeenUse extends SeenPath {
  readonly access: 'read' | 'write' | 'unknown'
}

/**
 * Characters that regexes may read in one moment. The slow ones (Unicode classes) read 100 million a second, so this keeps a moment within
 * some 20 ms; beyond it the moment is said to be not analysed.
 */
const MAX_REGEX_CHARACTERS = 2_000_000

/** Paths of one command whose symlinks are resolved: each costs a look at the disk. The others are matched as they are named. */
const MAX_RESOLVED = 200

export const TOO_MANY_PATHS = 'the symlinks of so many paths were not resolved'
export const TOO_LONG = 'the middle of a long text was not looked at'
export const TOO_MANY_PATTERNS = 'too many patterns for so long a text'

export class View implements Allowance {
  readonly subject: Subject
  readonly call: ToolCall | null
  readonly result: ToolResult | null
  /** The phases that speak at this moment. */
  readonly phases: readonly Phase[]
  #analysis: Analysis | null = null
  #commands: readonly SeenCommand[] | null = null
  #uses: readonly SeenUse[] | null = null
  #prompt: Text | null | undefined
  #content: Text | null | undefined
  #output: Text | null | undefined
  #failed: boolean | undefined
  #names: ProjectNames | null = null
  #read = 0
  #unresolved = false

  constructor(subject: Subject) {
    const { moment } = subject
    this.subject = subject
    this.call = moment.kind === 'before-tool' || moment.kind === 'after-tool' ? moment.call : null
    this.result = moment.kind === 'after-tool' ? moment.result : null
    this.phases = phasesOf(subject)
  }

  get projectNames(): ProjectNames {
    return (this.#names ??= projectNames(this.subject.project, this.subject.home))
  }

  get prompt(): Text | null {
    const { moment } = this.subject
    return (this.#prompt ??= moment.kind === 'prompt' && !moment.machineMade ? new Text(moment.text) : null)
  }

  get content(): Text | null {
    return (this.#content ??= this.call?.content === undefined ? null : new Text(this.call.content))
  }

  get output(): Text | null {
    return (this.#output ??= this.result === null ? null : new Text(this.result.output))
  }

  get commands(): readonly SeenCommand[] {
    return (this.#commands ??= this.#analyse().commands.map((command) => ({ command, normal: normalise(command) })))
  }

  get uses(): readonly SeenUse[] {
    return (this.#uses ??= this.#makeUses())
  }

  /** Null before the call has ended. */
  get failed(): boolean | null {
    if (this.result === null) return null
    return (this.#failed ??= this.#hasFailed(this.result))
  }

  take(characters: number): boolean {
    this.#read += characters
    return this.#read <= MAX_REGEX_CHARACTERS
  }

  /** What was not analysed, of the parts that some entry asks about; null if all was. */
  notAnalysed(asked: ReadonlySet<Channel>): string | null {
    const notes = new Set<string>()
    const command = this.call?.command
    const mayMask = asked.has('failed') && command !== undefined && printsStatus(command)
    if (command !== undefined && (asked.has('command') || asked.has('path') || mayMask)) {
      for (const note of this.#analyse().notAnalysed) notes.add(note)
    }
    if (asked.has('path') && this.uses.length > 0 && this.#unresolved) notes.add(TOO_MANY_PATHS)
    const texts = [asked.has('prompt') && this.prompt, asked.has('content') && this.content, asked.has('output') && this.output]
    if (texts.some((text) => text && text.isCut)) notes.add(TOO_LONG)
    if (this.#read > MAX_REGEX_CHARACTERS) notes.add(TOO_MANY_PATTERNS)
    return notes.size === 0 ? null : [...notes].join('; ')
  }

  #analyse(): Analysis {
    const command = this.call?.command
    return (this.#analysis ??= command === undefined ? { commands: [], notAnalysed: [] } : analyse(command))
  }

  #makeUses(): readonly SeenUse[] {
    if (this.call === null) return []
    const { project, real, home } = this.subject
    const roots = [...new Set([...project.roots, project.root].flatMap((root) => [root, real(root)]))]
    const own = this.call.paths.map(({ path, real: resolved, access }) => ({ path, resolved, access }))
    const named = pathsOf(this.#analyse().commands, this.call.cwd, home)
    const all = [...own, ...named.map(({ path, access }, at) => ({ path, resolved: at < MAX_RESOLVED ? real(path) : path, access }))]
    this.#unresolved = named.length > MAX_RESOLVED
    return all.map(({ path, resolved, access }) => ({ ...seenPath([...new Set([path, resolved])], roots), access }))
  }

  #hasFailed(result: ToolResult): boolean {
    if (result.state === 'failed') return true
    if (result.exitCode !== undefined && result.exitCode !== 0) return true
    const command = this.call?.command
    return command !== undefined && masksFailure(command, result.output)
  }
}

function phasesOf({ moment, sessionTriggers }: Subject): readonly Phase[] {
  const phases: Phase[] = sessionTriggers.length > 0 ? ['session'] : []
  if (moment.kind === 'prompt' && !moment.machineMade) phases.push('prompt')
  if (moment.kind === 'before-tool') phases.push('before')
  if (moment.kind === 'after-tool') phases.push('after')
  return phases
}
