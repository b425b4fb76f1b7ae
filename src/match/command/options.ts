/**
 * What is known of a program's options: names that mean the same, and whether a value follows.
 *
 * In: a program's basename. Out: a tree of its commands. An option that is known nowhere is told apart (`undefined`), so that the
 * caller can read it both ways.
 */
import { OPTIONS } from './options.data.ts'
import { GLOBAL_OPTIONS, MANUAL_OPTIONS } from './options.manual.ts'

/** As generated: see `options.data.ts` for the spelling of `options`. `long`: a single dash starts a long option. */
export interface OptionNode {
  readonly options?: string
  readonly long?: true
  readonly commands?: Readonly<Record<string, OptionNode>>
}

export interface Option {
  readonly names: readonly string[]
  /** `next`: the next word is its value; `attached`: only behind an equals sign; `either`: it can't be told. */
  readonly value: 'none' | 'next' | 'attached' | 'either'
}

export class CommandOptions {
  readonly isLong: boolean
  readonly #own: ReadonlyMap<string, Option>
  readonly #node: OptionNode
  readonly #parent: CommandOptions | null
  #commands: ReadonlyMap<string, { readonly names: readonly string[]; readonly options: CommandOptions }> | null = null
  #below: ReadonlyMap<string, Option> | null = null

  constructor(node: OptionNode, parent: CommandOptions | null) {
    this.#node = node
    this.#parent = parent
    this.isLong = node.long ?? parent?.isLong ?? false
    this.#own = parseOptions(node.options)
  }

  /** The option of this command, of one above it, or of one below it: some tools take them anywhere. */
  find(name: string): Option | undefined {
    return this.#atOrAbove(name) ?? this.#optionsBelow().get(name)
  }

  #atOrAbove(name: string): Option | undefined {
    const own = this.#own.get(name)
    return own ?? (this.#parent === null ? undefined : this.#parent.#atOrAbove(name))
  }

  /** Options of the command with this name or alias; undefined if there is none. */
  command(name: string): CommandOptions | undefined {
    return this.#named().get(name)?.options
  }

  /** All names of the command that this word names: itself alone when nothing is known. */
  aliases(name: string): readonly string[] {
    return this.#named().get(name)?.names ?? [name]
  }

  #named() {
    if (this.#commands) return this.#commands
    const commands = new Map<string, { readonly names: readonly string[]; readonly options: CommandOptions }>()
    for (const [joined, node] of Object.entries(this.#node.commands ?? {})) {
      const names = joined.split('|')
      const command = { names, options: new CommandOptions(node, this) }
      for (const name of names) if (!commands.has(name)) commands.set(name, command)
    }
    return (this.#commands = commands)
  }

  /** Options of the commands below. Whether a value follows is sure for a long name on which all of them agree. */
  #optionsBelow(): ReadonlyMap<string, Option> {
    if (this.#below) return this.#below
    const below = new Map<string, Option>()
    for (const { options } of this.#named().values()) {
      for (const [name, option] of [...options.#own, ...options.#optionsBelow()]) {
        const before = below.get(name)
        const isSure = name.startsWith('--') && (!before || before.value === option.value)
        below.set(name, { names: before?.names ?? option.names, value: isSure ? option.value : 'either' })
      }
    }
    return (this.#below = below)
  }
}

const NOTHING_KNOWN = new CommandOptions({}, null)
const parsed = new Map<string, CommandOptions>()

/** Programs that are the same under another name, as far as options go. */
const SAME: Readonly<Record<string, string>> = {
  tofu: 'terraform',
  pnpx: 'npx',
  bunx: 'npx',
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  batcat: 'bat',
  egrep: 'grep',
  fgrep: 'grep',
  nerdctl: 'docker',
  'apt-get': 'apt',
  zcat: 'cat',
}

export function optionsOf(program: string): CommandOptions {
  const name = SAME[program] ?? program
  const known = parsed.get(name)
  if (known) return known
  const found = own(MANUAL_OPTIONS, name) ?? own(OPTIONS, name)
  const extra = Object.hasOwn(GLOBAL_OPTIONS, name) ? GLOBAL_OPTIONS[name] : undefined
  if (!found && !extra) return NOTHING_KNOWN
  // What is written by hand comes first: of two the first counts.
  const node = { ...found, options: [extra, found?.options].filter((line) => line !== undefined).join(' ') }
  const options = new CommandOptions(node, null)
  parsed.set(name, options)
  return options
}

function own(table: Readonly<Record<string, OptionNode>>, name: string): OptionNode | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function parseOptions(line: string | undefined): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>()
  for (const word of line?.split(' ') ?? []) {
    const end = word.at(-1)
    const value = end === '=' ? 'next' : end === '?' ? 'attached' : 'none'
    const names = (value === 'none' ? word : word.slice(0, -1)).split('|')
    for (const name of names) if (!options.has(name)) options.set(name, { names, value })
  }
  return options
}
