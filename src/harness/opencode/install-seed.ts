/**
 * Keeps OpenCode's start from waiting for the package registry.
 *
 * Before it loads any plugin it wants its own plugin package installed in each settings folder, and without a network it waits for that
 * 80 s and more (measured). It looks whether there is a `node_modules` and whether the lock file names the package, at nothing else: so
 * a folder that has neither gets both, empty. A folder in which somebody installs packages is left as it is.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { opencode } from './profile.ts'
import { readOrNull, removeIfEmpty, writeWhole } from './install-hooks.ts'

const PACKAGE = '@opencode-ai/plugin'
const MODULES = 'node_modules'

function seedFiles(): readonly { readonly name: string; readonly text: string }[] {
  const dependencies = { [PACKAGE]: opencode.proven.to }
  const lock = { name: 'opencode', lockfileVersion: 3, requires: true, packages: { '': { dependencies } } }
  return [
    { name: 'package.json', text: `${JSON.stringify({ dependencies }, null, 2)}\n` },
    { name: 'package-lock.json', text: `${JSON.stringify(lock, null, 2)}\n` },
  ]
}

export type SeedState =
  /** Nothing is there: OpenCode would install the package at its next start. */
  | 'missing'
  /** OpenCode finds all it looks for. */
  | 'ready'
  /** As we left it. */
  | 'ours'
  /** Packages of somebody else, without this one: OpenCode installs it at its next start. */
  | 'incomplete'

export function seedState(folder: string): SeedState {
  const texts = seedFiles().map(({ name, text }) => ({ text, is: readOrNull(join(folder, name)) }))
  const hasModules = existsSync(join(folder, MODULES))
  if (!hasModules && texts.every(({ is }) => is === null)) return 'missing'
  if (hasModules && texts.every(({ text, is }) => is === text)) return 'ours'
  return hasModules && (texts[1]?.is ?? '').includes(`"${PACKAGE}"`) ? 'ready' : 'incomplete'
}

/** Paths, for a report. */
export function seedPaths(folder: string): readonly string[] {
  return [...seedFiles().map(({ name }) => join(folder, name)), join(folder, MODULES)]
}

export function writeSeed(folder: string): void {
  mkdirSync(join(folder, MODULES), { recursive: true })
  for (const { name, text } of seedFiles()) writeWhole(join(folder, name), text, 0o644)
}

/** Takes it back where nobody has used it since. True if it did. */
export function removeSeed(folder: string): boolean {
  if (seedState(folder) !== 'ours' || !removeIfEmpty(join(folder, MODULES))) return false
  for (const { name } of seedFiles()) rmSync(join(folder, name), { force: true })
  return true
}
