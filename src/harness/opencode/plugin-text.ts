/** The plugin as one file of plain JavaScript: made by the build, or in a checkout, where nothing is built, at this moment. */
import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { InstallError } from '../../install/install-error.ts'

const BUILT = fileURLToPath(new URL('./plugin.bundle.js', import.meta.url))
const SOURCE = fileURLToPath(new URL('./plugin/plugin.ts', import.meta.url))
const BUNDLER = fileURLToPath(new URL('../../../node_modules/rolldown/bin/cli.mjs', import.meta.url))
/** The bundle names its parts by where they lie from here: it must not depend on where a person stands. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BUNDLE_MS = 30_000

let bundled: string | null = null

/** Throws an `InstallError` in a checkout without its development dependencies. */
export function pluginText(): string {
  if (existsSync(BUILT)) return readFileSync(BUILT, 'utf8')
  return (bundled ??= bundle())
}

function bundle(): string {
  try {
    const args = [BUNDLER, SOURCE, '--format', 'esm', '--platform', 'node', '--log-level', 'silent']
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: BUNDLE_MS, stdio })
  } catch (cause) {
    throw new InstallError('unreadable', 'the plugin could not be bundled: run "npm ci" in this checkout', null, { cause })
  }
}
