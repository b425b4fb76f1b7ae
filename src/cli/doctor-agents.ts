/** Gathers what doctor is told of our endpoint for agents. Changes nothing. */
import { existsSync } from 'node:fs'
import type { HarnessName } from '../core/id.ts'
import type { AgentFacts } from '../doctor/facts.ts'
import { AGENT_SCOPE, agentTokenIn } from '../install/agent-token.ts'
import { InstallError } from '../install/install-error.ts'
import { readAgentRecords } from '../install/agent-record.ts'
import { pathsFrom } from '../paths.ts'
import type { Io } from './command.ts'
import { agentPlaceOf, planFor } from './setup-agents.ts'
import { placeOf } from './setup-options.ts'

/** Where it stands, and where the records say that it should. `folder`: where the person stands. */
export async function examineAgents(harness: HarnessName, io: Io, folder: string): Promise<readonly AgentFacts[]> {
  const here = placeOf(io.env, folder).project
  const recorded = readAgentRecords(pathsFrom(io.env).data).filter((one) => one.harness === harness)
  const facts: AgentFacts[] = []
  for (const scope of ['user', 'project'] as const) {
    const projects = scope === 'user' ? [null] : [...new Set([here, ...recorded.flatMap(({ project }) => project ?? [])])]
    for (const project of projects) {
      const { place } = await agentPlaceOf(harness, scope, io, project ?? folder)
      const isRecorded = recorded.some((one) => one.scope === scope && one.project === project)
      if (place === null || (!isRecorded && !existsSync(place.file))) continue
      const state = await stateOf(harness, scope, io, project ?? folder)
      if (state.kind === 'there' || isRecorded) facts.push({ scope, project, file: place.file, state })
    }
  }
  // a broken file is told once
  return facts.filter(({ file, state }, at) => state.kind !== 'broken' || facts.findIndex((one) => one.file === file) === at)
}

async function stateOf(harness: HarnessName, scope: AgentFacts['scope'], io: Io, folder: string): Promise<AgentFacts['state']> {
  try {
    const { plan, tokens, paths, goodToken } = await planFor(harness, scope, null, io, folder)
    if (plan.port === null) return { kind: 'gone' }
    const token = agentTokenIn(paths.data, harness)
    return {
      kind: 'there',
      port: plan.port,
      token: token === null ? 'unknown' : tokens.check(token, AGENT_SCOPE),
      // what only a new token changes is told as that
      isStale: plan.isChange && goodToken !== null,
    }
  } catch (error) {
    if (!(error instanceof InstallError)) throw error
    return error.code === 'foreign' ? { kind: 'gone' } : { kind: 'broken', why: error.message }
  }
}
