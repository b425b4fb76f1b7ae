/** Where databases of T3 Code and of its fork Chromeria are on this machine, and whether their servers run. */
import { statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { realPathOf } from '../../real-path.ts'
import { readRuntime } from './runtime-file.ts'

export interface FoundDatabase {
  readonly path: string
  /** The host's state folder. */
  readonly folder: string
}

/** The newest build's first: a newer build's database was made once from a copy of an older one's. */
const DATABASES = ['chromeria-v2.sqlite', 'statev2.sqlite', 'state.sqlite'] as const
/** `dev`: a host that was started for work on itself. */
const STATE_FOLDERS = ['userdata', 'dev'] as const

/** Base folders of hosts: the one that is named, else those that a host takes by itself. Chromeria has no other of its own that is known. */
export function hostBases(named: string | null, env: NodeJS.ProcessEnv, home: string): readonly string[] {
  if (named !== null) return [expand(named, home)]
  const own = env['T3CODE_HOME']
  return [...new Set([...(own ? [expand(own, home)] : []), join(home, '.t3')])]
}

/** Asked for every moment: where no host is installed it looks for the base folders only. */
export function findDatabases(bases: readonly string[]): readonly FoundDatabase[] {
  return stateFolders(bases)
    .flatMap((folder) => DATABASES.map((file) => ({ path: join(folder, file), folder })))
    .filter(({ path }) => kindOf(path) === 'file')
}

/** Those that are there, each once, also where two paths lead to it: a host that is found twice would seem to be two. */
export function stateFolders(bases: readonly string[]): readonly string[] {
  const folders = bases
    .filter((base) => kindOf(base) === 'folder')
    .flatMap((base) => STATE_FOLDERS.map((name) => join(base, name)))
    .filter((folder) => kindOf(folder) === 'folder')
  return onceEach(folders)
}

/** The first of all paths that lead to one folder. */
export function onceEach(folders: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return folders.filter((folder) => {
    const which = identityOf(folder)
    if (seen.has(which)) return false
    seen.add(which)
    return true
  })
}

/** True if both paths lead to one folder. */
export function isSameFolder(one: string, other: string): boolean {
  return one === other || identityOf(one) === identityOf(other)
}

/** By device and inode, which cost one call; of what is not there, its path as far as it leads. */
function identityOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stat !== undefined) return `${stat.dev}:${stat.ino}`
  } catch {
    // a folder that may not be looked into is known by its path
  }
  return realPathOf(path)
}

/** True if the process that `server-runtime.json` names runs. */
export function isServerLive(folder: string): boolean {
  return serverOf(folder) === 'live'
}

/** True if it names a process that is gone: a server takes the file back when it stops, a crash leaves it. Without the file: false. */
export function hasServerCrashed(folder: string): boolean {
  return serverOf(folder) === 'gone'
}

function serverOf(folder: string): 'live' | 'gone' | 'not-named' {
  const pid = readRuntime(folder)?.pid
  if (pid === undefined) return 'not-named'
  try {
    process.kill(pid, 0)
    return 'live'
  } catch (error) {
    // another user's process runs all the same
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'live' : 'gone'
  }
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat === undefined ? 'none' : stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'none'
  } catch {
    // a folder that may not be looked into holds nothing for us
    return 'none'
  }
}

function expand(path: string, home: string): string {
  if (path === '~') return home
  if (path.startsWith('~/')) return join(home, path.slice(2))
  return isAbsolute(path) ? path : resolve(home, path)
}
