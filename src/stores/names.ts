/** Which names in a store are entries, which are passed over with a word, and which without. */
import { basename } from 'node:path'
import type { Problem } from '../core/problem.ts'

/** Markdown files. `.#name.md` is the lock that Emacs puts beside a file. */
export function isEntryName(name: string): boolean {
  return /\.md$/i.test(name) && !name.startsWith('.#')
}

/** Passed over without a word: hidden folders, editors' own files, packages. */
export function isNoise(name: string): boolean {
  return name === 'node_modules' || (name.startsWith('.') && !isEntryName(name))
}

/** Says why a Markdown file is no entry; null if it is to be parsed. `bytes` is null when it was not read. */
export function notAnEntry(file: string, bytes: Uint8Array | null): Problem | null {
  const name = basename(file)
  if (name.startsWith('.')) return passedOver(file, 'hidden files are passed over', 'rename it without the dot if it is an entry')
  const isReadme = /^readme\.md$/i.test(name)
  if (!isReadme || bytes === null || startsWithFence(bytes)) return null
  return passedOver(file, 'a README without front matter is passed over', 'nothing to do; with front matter it would be an entry')
}

function startsWithFence(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 16))
  return head.startsWith('---')
}

function passedOver(file: string, message: string, cure: string): Problem {
  return { code: 'entry_passed_over', severity: 'info', message, cure, file }
}
