/** The log file of a server without a terminal: what it has to say, by the time, in a file that does not grow without end. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Millis } from '../core/id.ts'

/** A start writes some hundred bytes and a failure one line, so this is months; with the one before it, twice that on disk. */
const MAX_LOG_BYTES = 1_000_000

export interface LogFile {
  write(text: string): void
}

/** Never throws: a full disk must not stop the serving. Above the size the file moves to `FILE.1`, and the one that was there is gone. */
export function openLogFile(file: string, now: () => Millis, maxBytes = MAX_LOG_BYTES): LogFile {
  return {
    write(text) {
      try {
        const lines = text.trimEnd().split('\n')
        const stamped = lines.map((line) => `${new Date(now()).toISOString()} ${line}\n`).join('')
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        if (sizeOf(file) + Buffer.byteLength(stamped) > maxBytes) renameSync(file, `${file}.1`)
        appendFileSync(file, stamped, { mode: 0o600 })
      } catch {
        // there is nowhere else to tell it
      }
    },
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
