/**
 * `server.start` beside the hook scripts: how a hook or the OpenCode plugin starts the server. Where it is missing or empty, they start
 * none; empty means that the person wants it so.
 *
 * Lines, since a shell reads it: the program of Node, our launcher, then the environment of the server, a variable a line.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../core/problem.ts'
import type { Paths } from '../paths.ts'
import { cleanEnvironment, isPassing, ownProgram, type Program } from './program.ts'

const START_FILE = 'server.start'
/** The lock of the script that starts the server. */
const STARTING = 'starting'
/** A harness that is set up has a token in a file of this ending. */
const HEADER_ENDING = '.header'

/** `starts`, `leaves`: what hooks do from now on. `passing`: our package lies in a cache that is emptied some day, so they start none. */
export type HooksDo = 'starts' | 'leaves' | 'passing'

interface StartWish {
  /** Null: as the person wished before, else hooks start it. */
  readonly wanted: boolean | null
  readonly env: NodeJS.ProcessEnv
  readonly program?: Program
}

/** Where a harness is set up, it lets hooks start the server, or no more. Throws what the file system throws. */
export function letHooksStart(paths: Pick<Paths, 'hooks' | 'data'>, { wanted, env, program = ownProgram() }: StartWish): HooksDo {
  const file = join(paths.hooks, START_FILE)
  const before = readOrNull(file)
  const does = !(wanted ?? before !== '') ? 'leaves' : isPassing(program) ? 'passing' : 'starts'
  // an empty file would be taken for the person's wish
  if (does === 'passing') return does
  const text = does === 'starts' ? textFor(program, { ...cleanEnvironment(env), CONTEXTMD_DATA: paths.data }) : ''
  if (before !== text && isSetUp(paths)) write(file, text)
  return does
}

function isSetUp({ hooks }: Pick<Paths, 'hooks'>): boolean {
  try {
    return readdirSync(hooks).some((name) => name.endsWith(HEADER_ENDING))
  } catch {
    return false
  }
}

function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, file)
}

/** Deletes it, and the folder, once no harness is set up any more. */
export function retireStartFile(paths: Pick<Paths, 'hooks'>): void {
  if (isSetUp(paths)) return
  for (const name of [START_FILE, STARTING]) rmSync(join(paths.hooks, name), { force: true })
  try {
    rmdirSync(paths.hooks)
  } catch {
    // Something else stands in it, or it is gone already.
  }
}
/** Null where hooks start no server. */
export function readStartFile(paths: Pick<Paths, 'hooks'>): Program | null {
  const [node = '', launcher = ''] = (readOrNull(join(paths.hooks, START_FILE)) ?? '').split('\n')
  return node === '' || launcher === '' ? null : { node, launcher }
}

/** What keeps hooks from starting the server although they should. */
export function startProblems(paths: Pick<Paths, 'hooks'>): readonly Problem[] {
  const program = readStartFile(paths)
  if (program === null) return []
  const missing = [program.node, program.launcher].find((file) => !existsSync(file))
  if (missing === undefined) return []
  return [
    {
      code: 'start_program_missing',
      severity: 'warning',
      message: `Hooks can't start the server: ${missing} is gone.`,
      cure: 'Run `contextmd setup` again, from the place where ContextMD is installed now.',
    },
  ]
}

function textFor({ node, launcher }: Program, environment: Readonly<Record<string, string>>): string {
  const variables = Object.entries(environment).filter(([, value]) => !value.includes('\n'))
  return [node, launcher, ...variables.map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
