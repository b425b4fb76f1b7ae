/**
 * One records file, read from where the last reading ended, in slices.
 *
 * Opened only where there is something new to read, and closed after it: nothing is held open between. A file that became shorter, or is
 * another one under the same name, is scanned anew from its start.
 */
import { constants, lstatSync, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { Watch } from '../core/watch.ts'
import type { Records, Scan } from '../harness.ts'
import { Lines } from './lines.ts'

/** Read and taken apart in one go: about 2 ms of the event loop. */
const SLICE_BYTES = 256 * 1024
/** A file grows while it is read. */
const LEAST_SLICE_BYTES = 4 * 1024

const LINE_BREAK = 0x0a

/** What to look for from: nothing that is there already. */
export const FROM_END = Number.MAX_SAFE_INTEGER

export type Reading = 'end' | 'missing' | 'stopped'

interface Place {
  readonly device: number
  readonly inode: number
  /** Where the scan began. */
  readonly start: number
  readonly scan: Scan
  readonly lines: Lines
  /** Bytes taken. */
  offset: number
}

export class RecordsFile {
  readonly #path: string
  readonly #records: Records
  #place: Place | null = null

  constructor(path: string, records: Records) {
    this.#path = path
    this.#records = records
  }

  /** What is known so far; null while nothing was read. */
  get scan(): Scan | null {
    return this.#place?.scan ?? null
  }

  /**
   * Reads what was added, up to the end of the file. `from`: offset that the scan must have begun at or before. `isStopped` is asked
   * between slices. A file that can't be read, is no regular file, or is reached by a symlink counts as missing.
   */
  async readOn(from: number, watch: () => Watch, isStopped: () => boolean): Promise<Reading> {
    // asked some fifty times a second for a call that waits, most often of a file that did not change
    const seen = statOf(this.#path)
    if (seen?.isFile() !== true) return 'missing'
    if (this.#placeFor(seen, from)?.offset === seen.size) return 'end'
    const file = await openRegular(this.#path)
    if (file === null) return 'missing'
    try {
      const { place, size } = await this.#placeIn(file, from)
      const slice = Buffer.allocUnsafe(Math.min(SLICE_BYTES, Math.max(LEAST_SLICE_BYTES, size - place.offset)))
      for (;;) {
        if (isStopped()) return 'stopped'
        const { bytesRead } = await file.read(slice, 0, slice.length, place.offset)
        if (bytesRead === 0) return 'end'
        place.offset += bytesRead
        const wanted = watch()
        place.lines.push(slice.subarray(0, bytesRead), (line) => place.scan.take(line, wanted))
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      await file.close()
    }
  }

  async #placeIn(file: FileHandle, from: number): Promise<{ readonly place: Place; readonly size: number }> {
    const seen = await file.stat()
    const { size } = seen
    const kept = this.#placeFor(seen, from)
    if (kept !== null) return { place: kept, size }
    // what was reserved in a longer file is proven by nothing in this one, unless all of it is read
    const wanted = this.#place !== null && !this.#isOf(seen) ? 0 : from === FROM_END ? size : from > size ? 0 : from
    const start = await lineStart(file, wanted)
    const scan = this.#records.scan(this.#path)
    this.#place = { device: seen.dev, inode: seen.ino, start, scan, lines: new Lines(), offset: start }
    return { place: this.#place, size }
  }

  /** Where the last reading of this very file ended, if its scan began early enough. */
  #placeFor(seen: Stats, from: number): Place | null {
    const before = this.#place
    return before !== null && this.#isOf(seen) && (before.start <= from || before.start === 0) ? before : null
  }

  /** The file that was read before, and not shorter than it was. */
  #isOf({ dev, ino, size }: Stats): boolean {
    const before = this.#place
    return before !== null && before.device === dev && before.inode === ino && before.offset <= size
  }
}

/** Symlinks are not followed. Null for what is not there or can't be looked at. */
function statOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/** Null for what is missing, can't be read, or is no regular file of its own. Never waits, as it would on a pipe. */
export async function openRegular(path: string): Promise<FileHandle | null> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  if ((await file.stat()).isFile()) return file
  await file.close()
  return null
}

/** The start of the line that an offset is in; the offset itself if that start is more than a slice away. */
async function lineStart(file: FileHandle, offset: number): Promise<number> {
  if (offset === 0) return 0
  const length = Math.min(offset, SLICE_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset - length)
  const lastBreak = buffer.subarray(0, bytesRead).lastIndexOf(LINE_BREAK)
  if (lastBreak === -1) return length === offset ? 0 : offset
  return offset - length + lastBreak + 1
}
