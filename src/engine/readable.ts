/** Which entries an agent may search and read: those in force, for its harness and its project. */
import type { Entry } from '../core/entry.ts'
import type { Millis } from '../core/id.ts'
import type { Project } from '../match/match.ts'
import { isOfProjects } from '../match/scope.ts'

export interface Reader {
  /** As the agent's registration names it; null: not known, and entries of all harnesses are given. */
  readonly harness: string | null
  /** Null: not known, and entries of certain projects are left out. */
  readonly project: Project | null
  readonly home: string
  readonly at: Millis
}

/** Whether the main agent or a subagent asks is not known here: `scope.agents` limits nothing. */
export function readableBy(entries: readonly Entry[], { harness, project, home, at }: Reader): readonly Entry[] {
  const isOfHarness = (wanted: readonly string[]): boolean => harness === null || wanted.length === 0 || wanted.includes(harness)
  return entries.filter(
    ({ scope: { projects = [], harnesses = [] }, expires }) =>
      (expires === null || expires > at) &&
      isOfHarness(harnesses) &&
      (projects.length === 0 || (project !== null && isOfProjects(projects, project, home))),
  )
}
