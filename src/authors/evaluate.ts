/**
 * Whether one entry matches a moment that somebody describes, for the tests in its front matter.
 *
 * What the test does not name is taken as the entry wants it: the harness, the agent and the project lie inside its scope, and its date
 * is not over. Reads no files.
 */
import { basename, isAbsolute } from 'node:path'
import { newContext } from '../core/context.ts'
import type { Entry, Scope } from '../core/entry.ts'
import { triggersOf } from '../engine/triggers.ts'
import { claudeCode } from '../harness/claude-code/profile.ts'
import { explain, type Explanation } from '../match/explain.ts'
import type { Project, Subject } from '../match/match.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { momentOf } from './told-moment.ts'

/** Stands for any home folder, and for any project: tests say the same on every machine. */
const TEST_HOME = '/home/dev'
const TEST_PROJECT = 'project'

/** Null if the description names nothing that could be a moment. */
export function evaluate(entry: Entry, told: ToldMoment): Explanation | null {
  const project = projectOf(told.project === undefined ? TEST_PROJECT : String(told.project))
  const moment = momentOf(told, { cwd: project.root, home: TEST_HOME, real: (path) => path, at: 0 })
  if (moment === null) return null
  const subject: Subject = {
    moment,
    project,
    sessionTriggers: triggersOf(moment, newContext(moment.context, 0), claudeCode).triggers,
    home: TEST_HOME,
    real: (path) => path,
    at: 0,
  }
  return explain({ ...entry, scope: namedScope(entry.scope, told), expires: null }, subject)
}

function namedScope(scope: Scope, told: ToldMoment): Scope {
  return {
    ...(told.harness === undefined || scope.harnesses === undefined ? {} : { harnesses: scope.harnesses }),
    ...(told.agent === undefined || scope.agents === undefined ? {} : { agents: scope.agents }),
    ...(told.project === undefined || scope.projects === undefined ? {} : { projects: scope.projects }),
  }
}

/** A folder, a folder's name, or the address of a remote. */
function projectOf(named: string): Project {
  if (isAbsolute(named)) return { root: named, roots: [named], remotes: [] }
  if (named.startsWith('~/')) return projectOf(`${TEST_HOME}/${named.slice(2)}`)
  const root = `${TEST_HOME}/${basename(named).replace(/\.git$/, '')}`
  return { root, roots: [root], remotes: named.includes('/') ? [named] : [] }
}
