/**
 * Starts the server where none runs, or an older one than the package that is installed now: for the moments that follow.
 *
 * `server.start` in the plugin's folder says what to start, with which environment; where it is missing or empty, nothing is. Who of many
 * starts it, and whether it is newer, is for `contextmd service start` to say.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `line`: `server.json` of the server that runs and is ours; empty: there is none. True if one is being started. Never throws. */
export function startServer(hooksFolder: string, line: string): boolean {
  try {
    const [node = '', launcher = '', ...variables] = readFileSync(join(hooksFolder, 'server.start'), 'utf8').trimEnd().split('\n')
    if (!existsSync(launcher) || (line !== '' && isSameVersion(line, launcher))) return false
    const env = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s, 2)))
    const child = spawn(node, [launcher, 'service', 'start'], { env, detached: true, stdio: 'ignore' })
    // a program that is gone: the session goes on without the server
    child.on('error', () => {})
    child.unref()
    return true
  } catch {
    // not wanted, or not to be had
    return false
  }
}

function isSameVersion(line: string, launcher: string): boolean {
  const { version }: { version?: unknown } = JSON.parse(readFileSync(join(dirname(dirname(launcher)), 'package.json'), 'utf8'))
  return line.includes(`"version":${JSON.stringify(version)}`)
}
