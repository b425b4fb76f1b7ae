// TEMPORARY stand-in by the lead until the real one arrives: overwrite freely.
import { resolve } from 'node:path'

export function readsIn(command: string, cwd: string): readonly string[] {
  const found = /^(?:\/bin\/)?(?:cat|head|tail) (\S+)$/.exec(command.trim())
  return found === null ? [] : [resolve(cwd, found[1]!)]
}

export function hasLineOf(text: string): (result: string) => boolean {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '')
  return (result) => lines.some((line) => result.includes(line))
}
