/**
 * The background reader of records: one reader a context, one reading at a time, in slices, never in the way of a moment.
 *
 * A look waits for its reading at most until its deadline; the reading goes on after it. Nothing here judges: facts are what the
 * harness's own scan tells.
 */
import { performance } from 'node:perf_hooks'
import type { Fact } from '../core/fact.ts'
import type { ContextId } from '../core/id.ts'
import type { Watch } from '../core/watch.ts'
import type { Records, RecordsSource } from '../harness.ts'
import { RecordsFile, type Reading } from './records-file.ts'

/** Readers that are kept. A session and its subagents need one each; one that comes back is scanned again from its open claims. */
const MAX_READERS = 64
/** A reader that nobody asked for this long is dropped, with all that it remembers. */
const IDLE_MS = 10 * 60 * 1_000

export interface Look {
  readonly context: ContextId
  /** The file that an event named. It is opened only where the harness itself would keep records. */
  readonly path: string
  /** Size of the file when the oldest open claim was reserved: the scan begins there or before. `FROM_END`: only what comes. */
  readonly from: number
  readonly watch: Watch
  readonly records: Records
  /** Milliseconds that the look may take. */
  readonly deadlineMs: number
}

export interface Looked {
  readonly facts: readonly Fact[]
  /** All that was there when the look began was read. */
  readonly reachedEnd: boolean
  /** There is no file, or none that may be read. */
  readonly missing: boolean
}

export interface Evidence {
  look(look: Look): Promise<Looked>
  /** Resolves when nothing is being read. */
  drain(): Promise<void>
  /** Ends what is being read after its slice. Looks after it find nothing. */
  close(): Promise<void>
}

interface EvidenceOptions {
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

interface Reader {
  readonly path: string
  readonly file: RecordsSource
  watch: Watch
  usedAt: number
  running: Promise<Reading> | null
}

const NOTHING_FOUND: Looked = { facts: [], reachedEnd: false, missing: false }

export function openEvidence({ now = () => performance.now() }: EvidenceOptions = {}): Evidence {
  const readers = new Map<ContextId, Reader>()
  const running = new Set<Promise<Reading>>()
  let isClosed = false

  function readerFor(look: Look): Reader {
    const known = readers.get(look.context)
    const reader: Reader =
      known !== undefined && known.path === look.path
        ? known
        : {
            path: look.path,
            file: look.records.open?.(look.path) ?? new RecordsFile(look.path, look.records),
            watch: look.watch,
            usedAt: 0,
            running: null,
          }
    reader.watch = look.watch
    reader.usedAt = now()
    // newest last
    readers.delete(look.context)
    readers.set(look.context, reader)
    for (const [context, { usedAt }] of readers) {
      if (readers.size <= MAX_READERS && reader.usedAt - usedAt < IDLE_MS) break
      readers.delete(context)
    }
    return reader
  }

  function readOn(reader: Reader, from: number): Promise<Reading> {
    if (reader.running !== null) return reader.running
    const reading = reader.file
      .readOn(
        from,
        () => reader.watch,
        () => isClosed,
      )
      .finally(() => {
        reader.running = null
        running.delete(reading)
      })
    reader.running = reading
    running.add(reading)
    return reading
  }

  /** One that ran already may have passed the end before this look began: then one more follows. */
  async function readToEnd(reader: Reader, from: number): Promise<Reading> {
    if (reader.running !== null) await reader.running
    return readOn(reader, from)
  }

  return {
    async look(look) {
      if (isClosed) return NOTHING_FOUND
      if (!look.records.isRecordsPath(look.path)) return { ...NOTHING_FOUND, missing: true }
      const reader = readerFor(look)
      const reading = await within(readToEnd(reader, look.from), look.deadlineMs)
      const facts = reader.file.scan?.facts(look.watch) ?? []
      const reachedEnd = reading === 'end'
      return { facts: reachedEnd ? facts : facts.filter(isOfAnyPart), reachedEnd, missing: reading === 'missing' }
    },
    async drain() {
      while (running.size > 0) await Promise.allSettled(running)
    },
    async close() {
      isClosed = true
      await this.drain()
      readers.clear()
    },
  }
}

/** What the latest request holds is known only at the end of the file. */
function isOfAnyPart(fact: Fact): boolean {
  return fact.kind !== 'held' && fact.kind !== 'gone'
}

/** The result, or `late` when it takes longer. */
async function within(reading: Promise<Reading>, ms: number): Promise<Reading | 'late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
