/** Takes our endpoint for agents back: where the records say, and from the usual places, since a record may be lost. */
import { existsSync } from 'node:fs'
import type { HarnessName } from '../core/id.ts'
import { takeAgents } from '../install/agent-install.ts'
import { dropAgentRecord, isOfSameEntry, readAgentRecords, type AgentRecord } from '../install/agent-record.ts'
import type { AgentPlace } from '../install/agent-server.ts'
import { retireAgentToken } from '../install/agent-token.ts'
import { InstallError } from '../install/install-error.ts'
import type { SetupScope } from '../install/install.ts'
import { backupOf } from '../install/settings-file.ts'
import { pathsFrom } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { agentPlaceOf } from './setup-agents.ts'
import { placeOf } from './setup-options.ts'

interface Place extends AgentPlace {
  readonly record: AgentRecord | null
}

/** `scope` null: of all scopes and projects. Gives the exit code: 1 where a file could not be taken back. */
export async function removeAgents(harness: HarnessName, scope: SetupScope | null, io: Io, folder: string): Promise<number> {
  const { data, tokens } = pathsFrom(io.env)
  let code = 0
  for (const place of await placesOf(harness, scope, io, folder)) {
    try {
      const way = takeAgents(place, place.record)
      if (place.record !== null) dropAgentRecord(data, place)
      if (way !== 'nothing') io.stdout.write(`${lineOf(way, place)}\n`)
    } catch (error) {
      if (!(error instanceof InstallError)) throw error
      io.stderr.write(`contextmd: ${error.message}\n`)
      code = 1
    }
  }
  const isLeft = code !== 0 || readAgentRecords(data).some((one) => one.harness === harness)
  // a token that an entry still shows is left: a dead entry is worse
  if (!isLeft && existsSync(tokens)) retireAgentToken(openTokens(tokens, { now: () => Date.now() }), data, harness)
  return code
}

async function placesOf(harness: HarnessName, scope: SetupScope | null, io: Io, folder: string): Promise<readonly Place[]> {
  const { project } = placeOf(io.env, folder)
  const places: Place[] = readAgentRecords(pathsFrom(io.env).data)
    .filter((one) => one.harness === harness && (scope === null || (one.scope === scope && (scope === 'user' || one.project === project))))
    .map((record) => ({ file: record.file, format: record.format, keys: record.keys, record }))
  for (const one of scope === null ? (['user', 'project'] as const) : [scope]) {
    const { place } = await agentPlaceOf(harness, one, io, folder)
    if (place !== null && !places.some((other) => isOfSameEntry(other, place))) places.push({ ...place, record: null })
  }
  return places
}

function lineOf(way: 'restored' | 'deleted' | 'edited', { file }: Place): string {
  switch (way) {
    case 'restored':
      return `${file} is byte for byte what it was before setup.`
    case 'deleted':
      return `${file} is deleted: there was none before setup.`
    case 'edited': {
      const backup = backupOf(file)
      const left = existsSync(backup) ? ` Also left: ${backup}, the file as it was before setup.` : ''
      return `Our endpoint for agents is out of ${file}; the rest was changed since setup and is as it was.${left}`
    }
    default:
      return way satisfies never
  }
}
