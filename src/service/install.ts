/**
 * Puts the server into the hands of the user's service manager, and takes it back.
 *
 * A manager that can't be reached from here (a container, a login without a session) is no failure: the file is written, and the
 * person is told what to type.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathsFrom, type Paths } from '../paths.ts'
import { asTyped, makeCall, type Call, type Manager } from './manager.ts'
import { cleanEnvironment, ownProgram, type Program } from './program.ts'
import { MARK, type Installed } from './wish.ts'

const SERVE = ['serve', '--as', 'service']

export interface ServicePlan {
  readonly manager: Manager
  readonly text: string
  /** What stands in the file now; null: there is none. */
  readonly before: string | null
  /** A file of that name is there, and setup did not write it. */
  readonly isForeign: boolean
}

export function planService(manager: Manager, paths: Paths, env: NodeJS.ProcessEnv, program: Program = ownProgram()): ServicePlan {
  // HOME and the like are the manager's to give
  const { HOME: _1, USER: _2, LOGNAME: _3, TMPDIR: _4, XDG_RUNTIME_DIR: _5, ...environment } = cleanEnvironment(env)
  const text = manager.text({ program, args: SERVE, environment, log: paths.log })
  const before = readOrNull(manager.file)
  return { manager, text, before, isForeign: before !== null && !before.includes(MARK) }
}

export type Managed =
  | { readonly state: 'done' }
  /** It is written; the calls are left to the person. */
  | { readonly state: 'left'; readonly calls: readonly string[]; readonly why: string }

/** Writes the file and starts the service. Throws what the file system throws. */
export function installService({ manager, text, before }: ServicePlan, env: NodeJS.ProcessEnv): Managed {
  if (text !== before) {
    mkdirSync(dirname(manager.file), { recursive: true })
    const draft = `${manager.file}.${process.pid}.contextmd`
    writeFileSync(draft, text, { mode: 0o644 })
    renameSync(draft, manager.file)
  }
  const reached = makeCall(manager.reach, env)
  if (!reached.ok) return left(manager, manager.start, reached.why)
  // a service that is loaded already would keep its old file
  if (manager.name === 'launchd' && makeCall(manager.look, env).ok) for (const call of manager.stop) makeCall(call, env)
  for (const call of manager.start) {
    const called = makeCall(call, env)
    if (!called.ok) return left(manager, manager.start, `${asTyped(call)}: ${called.why}`)
  }
  return { state: 'done' }
}

export type ServiceRemoved =
  | { readonly state: 'nothing' }
  /** A file of that name is there, and we did not write it. */
  | { readonly state: 'foreign'; readonly file: string }
  | { readonly state: 'removed'; readonly file: string; readonly managed: Managed }

/** Ends the service and deletes its file. Throws what the file system throws. */
export function removeService(manager: Manager | null, env: NodeJS.ProcessEnv): ServiceRemoved {
  const text = manager === null ? null : readOrNull(manager.file)
  if (manager === null || text === null) return { state: 'nothing' }
  const { file } = manager
  if (!text.includes(MARK)) return { state: 'foreign', file }
  const reached = makeCall(manager.reach, env)
  // while the file is there: the manager knows the service by it
  if (reached.ok) for (const call of manager.stop) makeCall(call, env)
  rmSync(file)
  for (const link of manager.links) rmSync(link, { force: true })
  if (reached.ok) for (const call of manager.forget) makeCall(call, env)
  const managed = reached.ok ? ({ state: 'done' } as const) : left(manager, manager.stop, reached.why)
  return { state: 'removed', file, managed }
}

/** True if our service is installed, serves this data folder, and its manager could be asked to start it. */
export function wakeService(manager: Manager | null, env: NodeJS.ProcessEnv): boolean {
  const installed = installedService(manager)
  if (manager === null || installed === null) return false
  // HOME is the manager's to give: the file stands in that of this person
  const { HOME } = env
  const served = pathsFrom({ ...installed.environment, HOME }).data
  return served === pathsFrom(env).data && makeCall(manager.wake, env).ok
}

/** True if the installed service runs this very package: started anew, it is of this version. */
export function runsOwnProgram(manager: Manager | null, { launcher }: Program = ownProgram()): boolean {
  return installedService(manager)?.launcher === launcher
}

/** Null where no service of ours is installed. */
function installedService(manager: Manager | null): Installed | null {
  const text = manager === null ? null : readOrNull(manager.file)
  return manager === null || text === null || !text.includes(MARK) ? null : manager.read(text)
}

export function isInstalled(manager: Manager | null): boolean {
  return manager !== null && existsSync(manager.file) && (readOrNull(manager.file) ?? '').includes(MARK)
}

function left({ name }: Manager, calls: readonly Call[], why: string): Managed {
  return { state: 'left', calls: calls.map(asTyped), why: `${name} can't be asked from here (${why})` }
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
