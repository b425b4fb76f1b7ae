/**
 * Where agents got our endpoint, `agents.json` in the data folder: with it, removing gives back the bytes that were there before.
 *
 * It holds no settings and no token. Without it (deleted, broken) removing still finds our entries in the usual places.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const AgentRecord = z.object({
  harness: z.enum(['claude-code', 'codex', 'grok', 'opencode']),
  scope: z.enum(['user', 'project']),
  /** Null: the scope needs none. */
  project: z.string().nullable(),
  file: z.string(),
  format: z.enum(['json', 'toml']),
  keys: z.array(z.string()),
  /** Of the file before: there was none, its hash (the bytes stand in the backup), or edited between two setups. */
  before: z.union([
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('backup'), hash: z.string() }),
    z.object({ kind: z.literal('changed') }),
  ]),
  /** Hash of the file as setup left it. */
  after: z.string(),
  created: z.array(z.string()),
  /** The folder of the file was made by setup. */
  madeFolder: z.boolean(),
})
export type AgentRecord = Readonly<z.infer<typeof AgentRecord>>

export function agentRecordFileIn(dataFolder: string): string {
  return join(dataFolder, 'agents.json')
}

/** Empty where there is none, or none that can be read. */
export function readAgentRecords(dataFolder: string): readonly AgentRecord[] {
  try {
    return z.array(AgentRecord).parse(JSON.parse(readFileSync(agentRecordFileIn(dataFolder), 'utf8')))
  } catch {
    return []
  }
}

/** In place of an earlier one of the same entry. */
export function keepAgentRecord(dataFolder: string, record: AgentRecord): void {
  write(dataFolder, [...readAgentRecords(dataFolder).filter((other) => !isOfSameEntry(other, record)), record])
}

export function dropAgentRecord(dataFolder: string, record: Entry): void {
  write(
    dataFolder,
    readAgentRecords(dataFolder).filter((other) => !isOfSameEntry(other, record)),
  )
}

interface Entry {
  readonly file: string
  readonly keys: readonly string[]
}

export function isOfSameEntry(one: Entry, other: Entry): boolean {
  return one.file === other.file && one.keys.join('\0') === other.keys.join('\0')
}

function write(dataFolder: string, records: readonly AgentRecord[]): void {
  const file = agentRecordFileIn(dataFolder)
  if (records.length === 0) return rmSync(file, { force: true })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(records, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
