/** Our own program as others start it: the service manager, a hook, the OpenCode plugin. Absolute paths, since they have another PATH. */
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Program {
  readonly node: string
  /** `bin/contextmd.js` of this package. */
  readonly launcher: string
}

export function ownProgram(): Program {
  return { node: process.execPath, launcher: fileURLToPath(new URL('../../bin/contextmd.js', import.meta.url)) }
}

/** Folders of package managers whose content goes away by itself: what is started from there later is missing one day (S16). */
const PASSING = ['_npx', 'dlx', '.bunx-cache']

/** True if the package lies in a cache. */
export function isPassing({ launcher }: Program): boolean {
  return launcher.split(sep).some((name) => PASSING.some((passing) => name === passing || name.startsWith(`${passing}-`)))
}

/** Of our environment what a server needs, and nothing else: no keys of an agent, no proxies, no options of another Node. */
const NEEDED = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  // to reach the service manager
  'XDG_RUNTIME_DIR',
  'CONTEXTMD_DATA',
  'CONTEXTMD_SERVING_CONFIG',
  'CLAUDE_CONFIG_DIR',
  'T3CODE_HOME',
]

export function cleanEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(NEEDED.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}
