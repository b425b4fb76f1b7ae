/**
 * The hook scripts in the data folder, with the token beside them in files that only their owner can read.
 *
 * Copies, since a package's own folder may be a cache that is emptied later (S16).
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE } from './install-hooks.ts'

const PACKAGE_HOOKS = fileURLToPath(new URL('../../../hooks/', import.meta.url))
const HEADER_FILE = 'claude-code.header'
/** The same header in the form of GNU wget's settings. */
const WGET_FILE = 'claude-code.wgetrc'

interface Wanted {
  readonly name: string
  readonly text: string
  readonly mode: number
}

function wantedFiles(token: string): readonly Wanted[] {
  const header = `authorization: Bearer ${token}`
  return [
    ...[HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE].map((name) => ({ name, text: readFileSync(join(PACKAGE_HOOKS, name), 'utf8'), mode: 0o700 })),
    { name: HEADER_FILE, text: `${header}\n`, mode: 0o600 },
    { name: WGET_FILE, text: `header = ${header}\n`, mode: 0o600 },
  ]
}

/** Names of the files that are missing or not as they should be. */
export function staleHookFiles(folder: string, token: string): readonly string[] {
  return wantedFiles(token).flatMap(({ name, text }) => (readOrNull(join(folder, name)) === text ? [] : [name]))
}

/** Each is whole at every instant: a hook may run while it is replaced. */
export function writeHookFiles(folder: string, token: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const { name, text, mode } of wantedFiles(token)) {
    const draft = join(folder, `.${name}.${process.pid}`)
    writeFileSync(draft, text, { mode })
    renameSync(draft, join(folder, name))
  }
}

/** Deletes what `writeHookFiles` wrote, and the folder if nothing else stands in it. */
export function deleteHookFiles(folder: string): void {
  for (const name of [HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE, HEADER_FILE, WGET_FILE]) rmSync(join(folder, name), { force: true })
  try {
    rmdirSync(folder)
  } catch {
    // Another harness's files are there, or it is gone already.
  }
}

/** The token that the scripts send; null if there is none. */
export function tokenInHookFiles(folder: string): string | null {
  return /Bearer (\S+)/.exec(readOrNull(join(folder, HEADER_FILE)) ?? '')?.[1] ?? null
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
