/**
 * Files that the session's calls read, or wrote whole (law 12).
 *
 * The record of a call says that it went well, by its exact id (R6); what the model was given of it stands in an output behind that
 * record: its own, or, in code mode, in what a script of the model printed.
 */
import { isAbsolute } from 'node:path'
import type { ReadFact } from '../../core/fact.ts'
import { id } from '../../core/id.ts'
import type { WatchedFile } from '../../core/watch.ts'
import type { Sent } from './records-answers.ts'
import type { Line } from './records-line.ts'
import { isNested } from './records-placed.ts'

/**
 * Absolute paths of the files that a command line reads, when its success is theirs: the reader is last, or in an `&&` chain.
 * Reading is by basename of the program, and of what it prints to its own output.
 */
export type ReadsIn = (command: string, cwd: string) => readonly string[]

/** Reads that are remembered; a gate is younger than that. */
const MAX_READS = 32
/** Of an output, for a gate that is armed only later. Longer outputs are looked at whole as they come. */
const MAX_TEXT = 32 * 1024
/** Outputs after a nested read in which its text may be printed: a script can go on over some requests. */
const NESTED_OUTPUTS = 8

interface Read {
  readonly call: string
  readonly path: string
  /** `shown`: a line of the file must stand in the output. `written`: the model wrote the text itself. */
  readonly proof: 'shown' | 'written'
  /** Watched files that it is, as far as asked: telling takes the file system. */
  readonly isSame: Map<string, boolean>
  /** When it was done, in milliseconds; null if the line does not say. */
  readonly time: number | null
  readonly outputs: Output[]
  /** Outputs that may still be its own. */
  open: number
}

interface Output {
  readonly sent: Sent
  readonly text: string
  /** Watched files of which a line stood in the whole output. */
  readonly seenIn: ReadonlySet<string>
}

export class Reads {
  readonly #readsIn: ReadsIn
  #reads: Read[] = []

  constructor(readsIn: ReadsIn) {
    this.#readsIn = readsIn
  }

  ran({ call, did, at: time }: Extract<Line, { kind: 'ran' }>): void {
    const proof = did.type === 'change' ? 'written' : 'shown'
    const open = isNested(call) ? NESTED_OUTPUTS : 1
    for (const path of this.#pathsOf(did)) this.#reads.push({ call, path, proof, isSame: new Map(), time, outputs: [], open })
    this.#reads = this.#reads.slice(-MAX_READS)
  }

  output({ call, texts }: Extract<Line, { kind: 'output' }>, sent: Sent, watched: readonly WatchedFile[]): void {
    const waiting = this.#reads.filter((read) => read.open > 0 && (isNested(read.call) || read.call === call))
    if (waiting.length === 0) return
    const text = texts.join('\n')
    const output: Output = {
      sent,
      text: text.slice(0, MAX_TEXT),
      seenIn: new Set(watched.filter((file) => file.hasLineIn(text)).map((file) => file.path)),
    }
    for (const read of waiting) {
      read.open -= 1
      read.outputs.push(output)
    }
  }

  /** What was read before a compaction is not in the conversation any more. */
  compacted(): void {
    this.#reads = []
  }

  facts(watched: readonly WatchedFile[]): readonly ReadFact[] {
    return watched.flatMap((file) =>
      this.#reads
        .filter((read) => isReadOf(read, file))
        .map((read): ReadFact => ({ kind: 'read', path: file.path, call: id<ReadFact['call']>(read.call) })),
    )
  }

  #pathsOf(did: Extract<Line, { kind: 'ran' }>['did']): readonly string[] {
    switch (did.type) {
      case 'command':
        // a missing exit code is no 0 (R8)
        return did.exitCode === 0 ? this.#readsIn(did.command, did.cwd) : []
      case 'change':
        return did.added.filter((path) => isAbsolute(path))
      case 'entry':
        return [did.file]
      case 'other':
        return []
      default:
        return did satisfies never
    }
  }
}

function isReadOf(read: Read, file: WatchedFile): boolean {
  if (file.changedAt !== undefined && read.time !== null && read.time < file.changedAt) return false
  const isProven = ({ sent, text, seenIn }: Output) =>
    sent.answered && (read.proof === 'written' || seenIn.has(file.path) || file.hasLineIn(text))
  if (!read.outputs.some(isProven)) return false
  const isSame = read.isSame.get(file.path) ?? file.isSame(read.path)
  read.isSame.set(file.path, isSame)
  return isSame
}
