/**
 * The exit code of a call that has just ended, from the end of the rollout file: the event that tells of its end has none.
 *
 * The record stands in the file when that event is posted (0.171.0, looked at in every shell call of the captured sessions). Calls that
 * end at the same time come behind it, so some more of the file's end is read where the first part does not hold it.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { parseLine } from './records-line.ts'
import { isRollout } from './records.ts'

/** Read one after the other until the record is found; the last is what a moment can spare (about 2 ms). */
const LOOK_BACK_BYTES = [64 * 1024, 2 * 1024 * 1024]

/** Null if it is not there, or if the path is none where Codex keeps its records. Never throws. */
export function recordedExitCode(path: string, call: string): number | null {
  if (!isRollout(path)) return null
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return lookedUp(file, call)
    } finally {
      closeSync(file)
    }
  } catch {
    // Not there, or not ours to read: then the exit code is not known.
    return null
  }
}

function lookedUp(file: number, call: string): number | null {
  const stat = fstatSync(file)
  if (!stat.isFile()) return null
  for (const wanted of LOOK_BACK_BYTES) {
    const length = Math.min(wanted, stat.size)
    const tail = Buffer.allocUnsafe(length)
    const read = readSync(file, tail, 0, length, stat.size - length)
    const found = exitCodeIn(tail.subarray(0, read).toString('utf8'), call)
    if (found !== null || length === stat.size) return found
  }
  return null
}

/** Of the last record of that call. The first line may be a part of one: then it is no JSON. */
function exitCodeIn(tail: string, call: string): number | null {
  for (const text of tail.split('\n').toReversed()) {
    if (!text.includes(call) || !text.includes('CommandExecution')) continue
    const line = parseLine(text)
    if (line?.kind === 'ran' && line.call === call && line.did.type === 'command') return line.did.exitCode
  }
  return null
}
