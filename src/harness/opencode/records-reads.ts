/**
 * Files that the session's calls read, or wrote whole (law 12).
 *
 * A call counts when it is completed, and a shell command when its exit code is a numeric 0 (R1, R8).
 */
import type { ReadFact } from '../../core/fact.ts'
import { id } from '../../core/id.ts'
import type { WatchedFile } from '../../core/watch.ts'
import { fileOfEntryRead, isEntryRead } from '../../match/entry-read.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import { textIn } from '../json.ts'
import { folderOf, pathsOf } from './decode-tool.ts'
import type { FinishedCall } from './records-row.ts'

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
  /** Number of the result's row. */
  readonly at: number
  readonly time: number | null
  isAnswered: boolean
}

interface Finished {
  readonly call: FinishedCall
  readonly cwd: string
  readonly at: number
}

export class Reads {
  readonly #readsIn: ReadsIn
  #reads: Read[] = []

  constructor(readsIn: ReadsIn) {
    this.#readsIn = readsIn
  }

  take({ call, cwd, at }: Finished, watched: readonly WatchedFile[]): void {
    if (call.state !== 'completed') return
    const printsFile = call.name === 'bash' || isEntryRead(call.name)
    for (const path of this.#pathsOf(call, cwd)) {
      const seenIn = new Set(printsFile ? watched.filter((file) => file.hasLineIn(call.text)).map((file) => file.path) : [])
      const text = printsFile ? call.text.slice(0, MAX_TEXT) : null
      this.#reads.push({ call: call.id, path, text, seenIn, isSame: new Map(), at, time: call.endedAt, isAnswered: false })
    }
    this.#reads = this.#reads.slice(-MAX_READS)
  }

  answered(sentAt: number): void {
    for (const read of this.#reads) if (read.at < sentAt) read.isAnswered = true
  }

  /** What was read before a compaction is not in the conversation any more. */
  compacted(): void {
    this.#reads = []
  }

  facts(watched: readonly WatchedFile[]): readonly ReadFact[] {
    return watched.flatMap((file) =>
      this.#reads
        .filter((read) => read.isAnswered && isReadOf(read, file))
        .map((read): ReadFact => ({ kind: 'read', path: file.path, call: id<ReadFact['call']>(read.call) })),
    )
  }

  #pathsOf({ name, input, exit, text }: FinishedCall, cwd: string): readonly string[] {
    if (isEntryRead(name)) return namedIn(text)
    if (name === 'bash') {
      const command = textIn(input['command'])
      return command === null || exit !== 0 ? [] : this.#readsIn(command, folderOf(name, input, cwd))
    }
    return pathsOf(name, input, cwd).flatMap(({ path, access, whole }) =>
      (name === 'read' && access === 'read') || whole === true ? [path] : [],
    )
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
