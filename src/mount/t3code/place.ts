/** Where ContextMD keeps its files inside a host: beside the host's own database. Rules, settings and trust stay the person's own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathsFrom, type Paths } from '../../paths.ts'

export function pathsInside(stateDir: string, env: NodeJS.ProcessEnv): Paths {
  const own = pathsFrom(env)
  const data = join(stateDir, 'contextmd')
  return {
    ...own,
    data,
    state: join(stateDir, 'contextmd.sqlite'),
    lock: join(stateDir, 'contextmd.lock'),
    notes: join(data, 'notes'),
  }
}

/** The version in package.json, which lies three folders above this file in the checkout and in the package. */
export function ownVersion(): string {
  try {
    const read: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    if (typeof read === 'object' && read !== null && 'version' in read && typeof read.version === 'string') return read.version
  } catch {
    // bundled into the host: the version is told for people only
  }
  return 'unknown'
}
