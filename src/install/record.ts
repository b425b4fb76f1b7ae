/**
 * What was set up, and where: `setup.json` in the data folder. With it, removing gives back the very bytes that were there before.
 *
 * It holds no settings and no token. Without it (deleted, broken) removing still finds our hooks by their form.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { HarnessName } from '../core/id.ts'

const SetupRecord = z.object({
  scope: z.enum(['user', 'project']),
  /** The settings file. */
  file: z.string(),
  /** `none`: there was no file. `backup`: its hash, and the bytes stand in the backup. `changed`: edited between two setups. */
  before: z.union([
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('backup'), hash: z.string() }),
    z.object({ kind: z.literal('changed') }),
  ]),
  /** Hash of the file as setup left it. */
  after: z.string(),
  written: z.object({ created: z.array(z.string()), rules: z.array(z.string()) }),
  /** The folder of the settings was made by setup. */
  madeFolder: z.boolean(),
  /** Git's private exclude file, if a line was added there. */
  exclude: z.string().nullable(),
  transport: z.enum(['http', 'command', 'mcp']),
  port: z.number(),
})
export type SetupRecord = Readonly<z.infer<typeof SetupRecord>>

/** By harness. */
const RecordFile = z.record(z.string(), z.array(SetupRecord))

export function recordFileIn(dataFolder: string): string {
  return join(dataFolder, 'setup.json')
}

/** Empty where there is none, or none that can be read. */
export function readRecords(file: string, harness: HarnessName = 'claude-code'): readonly SetupRecord[] {
  return readAll(file)[harness] ?? []
}

/** Puts the record in place of an earlier one for the same settings file. */
export function keepRecord(file: string, record: SetupRecord, harness: HarnessName = 'claude-code'): void {
  write(file, harness, [...readRecords(file, harness).filter((other) => other.file !== record.file), record])
}

/** Gives the records that are left. */
export function dropRecord(file: string, settings: string, harness: HarnessName = 'claude-code'): readonly SetupRecord[] {
  const left = readRecords(file, harness).filter((other) => other.file !== settings)
  write(file, harness, left)
  return left
}

function readAll(file: string): z.infer<typeof RecordFile> {
  try {
    return RecordFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}

function write(file: string, harness: HarnessName, records: readonly SetupRecord[]): void {
  const { [harness]: _, ...others } = readAll(file)
  const all = records.length === 0 ? others : { ...others, [harness]: records }
  if (Object.keys(all).length === 0) return rmSync(file, { force: true })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
