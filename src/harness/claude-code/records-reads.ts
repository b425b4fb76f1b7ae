/**
 * Files that the session's calls read, or wrote whole (law 12).
 *
 * A call counts when its own result says that it went well; by its exact id (R6), never without one (R7).
 */
import { isAbsolute, resolve } from 'node:path'
import type { ReadFact } from '../../core/fact.ts'
import { id } from '../../core/id.ts'
import type { WatchedFile } from '../../core/watch.ts'
import { fileOfEntryRead, isEntryRead } from '../../match/entry-read.ts'
import { textIn } from '../json.ts'
import type { RecordedCall, RecordedResult } from './records-line.ts'
import type { OwnRequest } from './records-replies.ts'

/**
 * Absolute paths of the files that a command line reads, when its success is theirs: the reader is last, or in an `&&` chain.
 * Reading is by basename of the program, and of what it prints to its own output.
 */
export type ReadsIn = (command: string, cwd: string) => readonly string[]

/** Reads that are remembered; a gate is younger than that. */
const MAX_READS = 32
/** Of the output of a shell reader or of our own tool, for a gate that is armed only later. Longer outputs are looked at whole as they come. */
const MAX_TEXT = 32 * 1024

interface Read {
  readonly call: string
  readonly path: string
  /** Output in which a line of the file must stand; null: the harness's own tool says what it read. */
  readonly text: string | null
  /** Watched files of which a line stood in the whole output. */
  readonly seenIn: ReadonlySet<string>
  /** Watched files that it is, as far as asked: telling takes the file system. */
  readonly isSame: Map<string, boolean>
  readonly own: OwnRequest
  /** Number of the result's line. */
  readonly at: number
  /** When it was written, in milliseconds; null if the line does not say. */
  readonly time: number | null
}

interface FinishedCall {
  readonly call: RecordedCall
  readonly cwd: string
  readonly result: RecordedResult
  readonly own: OwnRequest
  readonly at: number
  readonly time: number | null
}

export class Reads {
  readonly #readsIn: ReadsIn
  #reads: Read[] = []

  constructor(readsIn: ReadsIn) {
    this.#readsIn = readsIn
  }

  take(finished: FinishedCall, watched: readonly WatchedFile[]): void {
    const { call, result, own, at, time } = finished
    if (result.state !== 'ok') return
    const printsFile = call.name === 'Bash' || isEntryRead(call.name)
    for (const path of this.#pathsOf(finished)) {
      const seenIn = new Set(printsFile ? watched.filter((file) => file.hasLineIn(result.text)).map((file) => file.path) : [])
      const text = printsFile ? result.text.slice(0, MAX_TEXT) : null
      this.#reads.push({ call: call.id, path, text, seenIn, isSame: new Map(), own, at, time })
    }
    this.#reads = this.#reads.slice(-MAX_READS)
  }

  /** What was read before a compaction is not in the conversation any more. */
  compacted(): void {
    this.#reads = []
  }

  facts(watched: readonly WatchedFile[], isAnswered: (at: number, own: OwnRequest) => boolean): readonly ReadFact[] {
    const answered = this.#reads.filter((read) => isAnswered(read.at, read.own))
    return watched.flatMap((file) =>
      answered
        .filter((read) => isReadOf(read, file))
        .map((read): ReadFact => ({ kind: 'read', path: file.path, call: id<ReadFact['call']>(read.call) })),
    )
  }

  #pathsOf({ call, cwd, result }: FinishedCall): readonly string[] {
    const { name, input } = call
    if (isEntryRead(name)) return namedIn(result.text)
    if (name === 'Bash') {
      const command = textIn(input['command'])
      return command === null ? [] : this.#readsIn(command, cwd)
    }
    if (name !== 'Read' && name !== 'Write') return []
    const path = textIn(input['file_path'])
    return path === null ? [] : [isAbsolute(path) ? path : resolve(cwd, path)]
  }
}

function isReadOf(read: Read, file: WatchedFile): boolean {
  if (file.changedAt !== undefined && read.time !== null && read.time < file.changedAt) return false
  const isSame = read.isSame.get(file.path) ?? file.isSame(read.path)
  read.isSame.set(file.path, isSame)
  if (!isSame) return false
  return read.text === null || read.seenIn.has(file.path) || file.hasLineIn(read.text)
}

/** Our own tool names the file of the entry that it gives. */
function namedIn(result: string): readonly string[] {
  const file = fileOfEntryRead(result)
  return file === null ? [] : [file]
}
