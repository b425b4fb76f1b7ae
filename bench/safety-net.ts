/**
 * `cc-safety-net` (npm), a command hook with a fixed set of rules, called as a library. It is installed for the run into a temporary
 * folder and is no dependency of ours.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const PACKAGE = 'cc-safety-net'
/** The version whose `checkCommand` was looked at. */
const VERSION = '2.4.5'
const INSTALL_TIMEOUT_MS = 45_000

export type SafetyNet =
  | { readonly ok: true; readonly name: string; check(command: string): void; close(): void }
  /** `why` it is left out. */
  | { readonly ok: false; readonly why: string }

export async function openSafetyNet(): Promise<SafetyNet> {
  const folder = mkdtempSync(join(tmpdir(), 'contextmd-safety-net-'))
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${PACKAGE}@${VERSION}`]
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS })
    const file = join(folder, 'node_modules', PACKAGE, 'dist', 'api.js')
    // its own declaration: checkCommand takes a command and an absolute folder
    const { checkCommand } = (await import(pathToFileURL(file).href)) as {
      checkCommand: (input: { command: string; cwd: string }) => unknown
    }
    return { ok: true, name: `${PACKAGE} ${VERSION}`, check: (command) => void checkCommand({ command, cwd: folder }), close }
  } catch (error) {
    close()
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return { ok: false, why: `${PACKAGE} could not be installed (${reason})` }
  }
}
