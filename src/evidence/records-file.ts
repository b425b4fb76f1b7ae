/**
 * One records file, read from where the last reading ended, in slices.
 *
 * Opened for each reading and closed after it: nothing is held open between. A file that became shorter, or is another one under the
 * same name, is scanned anew from its start.
 */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { Watch } from '../core/watch.ts'
import type { Records, Scan } from '../harness.ts'
import { Lines } from './lines.ts'

/** Read and taken apart in one go: about 2 ms of the event loop. */
const SLICE_BYTES = 256 * 1024

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
    const file = await openRegular(this.#path)
    if (file === null) return 'missing'
    try {
      const place = await this.#placeIn(file, from)
      const slice = Buffer.allocUnsafe(SLICE_BYTES)
      for (;;) {
        if (isStopped()) return 'stopped'
        const { bytesRead } = await file.read(slice, 0, SLICE_BYTES, place.offset)
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

  async #placeIn(file: FileHandle, from: number): Promise<Place> {
    const { dev: device, ino: inode, size } = await file.stat()
    const before = this.#place
    const isSame = before !== null && before.device === device && before.inode === inode && before.offset <= size
    if (isSame && (before.start <= from || before.start === 0)) return before
    // what was reserved in a longer file is proven by nothing in this one, unless all of it is read
    const wanted = before !== null && !isSame ? 0 : from === FROM_END ? size : from > size ? 0 : from
    const start = await lineStart(file, wanted)
    this.#place = { device, inode, start, scan: this.#records.scan(this.#path), lines: new Lines(), offset: start }
    return this.#place
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
