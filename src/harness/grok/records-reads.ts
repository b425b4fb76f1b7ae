/**
 * Files that the session's calls read, or wrote whole (law 12).
 *
 * A call counts when its own result says that it went well; by its exact id (R6). The history has no times, so a file's last change
 * can't be compared with the read: the entry's hash is what tells a changed rule.
 */
import { isAbsolute, resolve } from 'node:path'
import type { ReadFact } from '../../core/fact.ts'
import { id } from '../../core/id.ts'
import type { WatchedFile } from '../../core/watch.ts'
import { fileOfEntryRead, isEntryRead } from '../../match/entry-read.ts'
import { textIn } from '../json.ts'
import type { ReadsIn } from '../claude-code/records-reads.ts'
import type { RecordedCall } from './records-line.ts'

/** Reads that are remembered; a gate is younger than that. */
const MAX_READS = 32
/** Of the output of a shell reader or of our own tool, for a gate that is armed only later. Longer outputs are looked at whole as they come. */
const MAX_TEXT = 32 * 1024

/** A file's content begins with a line's number (R5: whatever the content says); a failure does not. */
const CONTENT = /^\s*\d+→/
/** A command that went well; the code is always there (R8). */
const WENT_WELL = /^exit: 0(?:\r?\n|$)/
/** A new file, and one that was there (1.0.41, measured). */
const WRITTEN = /^(?:The file .+ has been created|Wrote file successfully to )/

interface Read {
  readonly call: string
  readonly path: string
  /** Output in which a line of the file must stand; null: the harness's own tool says what it read. */
  readonly text: string | null
  /** Watched files of which a line stood in the whole output. */
  readonly seenIn: ReadonlySet<string>
  /** Watched files that it is, as far as asked: telling takes the file system. */
  readonly isSame: Map<string, boolean>
  /** Number of the result's line. */
  readonly at: number
}

export class Reads {
  readonly #readsIn: ReadsIn
  #reads: Read[] = []

  constructor(readsIn: ReadsIn) {
    this.#readsIn = readsIn
  }

  /** `cwd`: the folder in which the session's calls run; null: not known, and a relative path names no file. */
  take(call: RecordedCall, result: string, cwd: string | null, at: number, watched: readonly WatchedFile[]): void {
    const printsFile = call.name === 'run_terminal_command' || isEntryRead(toolOf(call))
    for (const path of this.#pathsOf(call, result, cwd)) {
      const seenIn = new Set(printsFile ? watched.filter((file) => file.hasLineIn(result)).map((file) => file.path) : [])
      this.#reads.push({ call: call.id, path, text: printsFile ? result.slice(0, MAX_TEXT) : null, seenIn, isSame: new Map(), at })
    }
    this.#reads = this.#reads.slice(-MAX_READS)
  }

  /** What was read before a compaction is not in the conversation any more. */
  compacted(): void {
    this.#reads = []
  }

  facts(watched: readonly WatchedFile[], isAnswered: (at: number) => boolean): readonly ReadFact[] {
    const answered = this.#reads.filter((read) => isAnswered(read.at))
    return watched.flatMap((file) =>
      answered
        .filter((read) => isReadOf(read, file))
        .map((read): ReadFact => ({ kind: 'read', path: file.path, call: id<ReadFact['call']>(read.call) })),
    )
  }

  #pathsOf(call: RecordedCall, result: string, cwd: string | null): readonly string[] {
    const { name, input } = call
    if (isEntryRead(toolOf(call))) return namedIn(result)
    switch (name) {
      case 'run_terminal_command': {
        const command = textIn(input['command'])
        return command === null || input['background'] === true || !WENT_WELL.test(result) ? [] : this.#readsIn(command, cwd ?? '/')
      }
      case 'read_file':
        return CONTENT.test(result) ? named(input['target_file'], cwd) : []
      case 'write':
        return WRITTEN.test(result) ? named(input['file_path'], cwd) : []
      default:
        return []
    }
  }
}

/** A tool of an MCP server is called by its name, or through another tool that is told its name. */
function toolOf({ name, input }: RecordedCall): string {
  return name === 'use_tool' ? (textIn(input['tool_name']) ?? name) : name
}

function named(path: unknown, cwd: string | null): readonly string[] {
  if (typeof path !== 'string' || path === '') return []
  if (isAbsolute(path)) return [path]
  return cwd === null ? [] : [resolve(cwd, path)]
}

function isReadOf(read: Read, file: WatchedFile): boolean {
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
