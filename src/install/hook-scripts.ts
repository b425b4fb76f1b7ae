/**
 * The hook scripts in the data folder, with the token beside them in files that only their owner can read.
 *
 * Copies, since a package's own folder may be a cache that is emptied later (S16).
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HarnessName } from '../core/id.ts'
import { HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE, START_SCRIPT } from './hook.ts'

const PACKAGE_HOOKS = fileURLToPath(new URL('../../hooks/', import.meta.url))
const HEADER_ENDING = '.header'
/** The same header in the form of GNU wget's settings. */
const WGET_ENDING = '.wgetrc'
/** What the script could not post, counted by it. */
const MISSED_ENDING = '.missed'
/** The server that has proven to the script that it is ours. */
const PROVED_ENDING = '.proved'
const SCRIPTS = [HOOK_SCRIPT, HOOK_SCRIPT_FOR_NODE, START_SCRIPT]

interface Wanted {
  readonly name: string
  readonly text: string
  readonly mode: number
}

function wantedFiles(token: string, harness: HarnessName): readonly Wanted[] {
  const header = `authorization: Bearer ${token}`
  return [
    ...SCRIPTS.map((name) => ({ name, text: readFileSync(join(PACKAGE_HOOKS, name), 'utf8'), mode: 0o700 })),
    { name: `${harness}${HEADER_ENDING}`, text: `${header}\n`, mode: 0o600 },
    { name: `${harness}${WGET_ENDING}`, text: `header = ${header}\n`, mode: 0o600 },
  ]
}

/** Names of the files that are missing or not as they should be. */
export function staleHookFiles(folder: string, token: string, harness: HarnessName = 'claude-code'): readonly string[] {
  return wantedFiles(token, harness).flatMap(({ name, text }) => (readOrNull(join(folder, name)) === text ? [] : [name]))
}

/** Each is whole at every instant: a hook may run while it is replaced. */
export function writeHookFiles(folder: string, token: string, harness: HarnessName = 'claude-code'): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const { name, text, mode } of wantedFiles(token, harness)) {
    const draft = join(folder, `.${name}.${process.pid}`)
    writeFileSync(draft, text, { mode })
    renameSync(draft, join(folder, name))
  }
}

/** Deletes what `writeHookFiles` wrote; the scripts, and the folder, if no other harness needs them. */
export function deleteHookFiles(folder: string, harness: HarnessName = 'claude-code'): void {
  for (const ending of [HEADER_ENDING, WGET_ENDING, MISSED_ENDING, PROVED_ENDING])
    rmSync(join(folder, `${harness}${ending}`), { force: true })
  try {
    if (readdirSync(folder).some((name) => name.endsWith(HEADER_ENDING))) return
    for (const name of SCRIPTS) rmSync(join(folder, name), { force: true })
    rmdirSync(folder)
  } catch {
    // Another harness's files are there, or it is gone already.
  }
}

/** The token that the scripts send; null if there is none. */
export function tokenInHookFiles(folder: string, harness: HarnessName = 'claude-code'): string | null {
  return /Bearer (\S+)/.exec(readOrNull(join(folder, `${harness}${HEADER_ENDING}`)) ?? '')?.[1] ?? null
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
