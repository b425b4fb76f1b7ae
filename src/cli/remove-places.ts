/** Where `contextmd remove` without a name takes a harness's setup back: each home and each project, once. */
import { join, resolve } from 'node:path'
import { homeFrom } from '../paths.ts'
import type { HarnessName } from '../core/id.ts'
import type { Io } from './command.ts'
import { projectAbove, type Known, type Scoped } from './setup-harness.ts'
import { instancesOf } from './setup-instances.ts'

export interface RemovePlace extends Scoped {
  /** With the environment that leads the harness's setup to this home. */
  readonly io: Io
  /** Null: the scope needs none. */
  readonly project: string | null
  /** Null: told already. */
  readonly title: string | null
}

interface Home {
  /** The variable that leads to it. */
  readonly variable: string
  /** Below the person's home, where the variable is not set. */
  readonly usual: string
  /** How far the recorded file lies below it. */
  readonly levels: number
}

const HOMES: Readonly<Record<HarnessName, Home>> = {
  'claude-code': { variable: 'CLAUDE_CONFIG_DIR', usual: '.claude', levels: 1 },
  codex: { variable: 'CODEX_HOME', usual: '.codex', levels: 1 },
  grok: { variable: 'GROK_HOME', usual: '.grok', levels: 2 },
  opencode: { variable: 'XDG_CONFIG_HOME', usual: '.config', levels: 3 },
}

/**
 * The person's own home in any case, since a record may be lost, and those of a host's instances; then what only the records know: homes
 * of instances that are gone by now or that another environment named, and projects. `known`: as it was before the first removal.
 */
export function* placesOf(harness: HarnessName, known: readonly Known[], io: Io): Generator<RemovePlace> {
  const { variable, levels } = HOMES[harness]
  const done = new Set([homeOf(harness, io.env)])
  yield { scope: 'user', io, project: null, title: harness }
  for (const own of instancesOf(harness, io)) {
    done.add(homeOf(harness, own.env))
    yield { scope: 'user', io: own, project: null, title: null }
  }
  for (const { scope, project, file } of known) {
    if (scope === 'project') {
      yield { scope, io, project, title: `${harness}${project === null ? '' : ` in ${project}`}` }
      continue
    }
    const home = file === null ? null : projectAbove(file, levels)
    if (home === null || done.has(home)) continue
    done.add(home)
    yield { scope, io: { ...io, env: { ...io.env, [variable]: home } }, project: null, title: `${harness} in ${home}` }
  }
}

function homeOf(harness: HarnessName, env: NodeJS.ProcessEnv): string {
  const { variable, usual } = HOMES[harness]
  return resolve(env[variable] || join(homeFrom(env), usual))
}
