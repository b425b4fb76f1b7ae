/** What was set up, and where: `setup-opencode.json` in the data folder. Without it removing still finds our files by their form. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from './install-hooks.ts'

const SetupRecord = z.object({
  scope: z.enum(['user', 'project']),
  /** OpenCode's settings folder. */
  folder: z.string(),
  /** Folders that were not there before, innermost first. */
  made: z.array(z.string()),
  /** The folder for packages was prepared by setup. */
  seeded: z.boolean(),
  /** Git's private exclude file, if a line was added there. */
  exclude: z.string().nullable(),
  port: z.number(),
})
export type SetupRecord = Readonly<z.infer<typeof SetupRecord>>

export function recordFileIn(dataFolder: string): string {
  return join(dataFolder, 'setup-opencode.json')
}

/** Empty where there is none, or none that can be read. */
export function readRecords(file: string): readonly SetupRecord[] {
  try {
    return z.array(SetupRecord).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

/** Puts the record in place of an earlier one for the same folder. */
export function keepRecord(file: string, record: SetupRecord): void {
  write(file, [...readRecords(file).filter((other) => other.folder !== record.folder), record])
}

/** Gives the records that are left. */
export function dropRecord(file: string, folder: string): readonly SetupRecord[] {
  const left = readRecords(file).filter((other) => other.folder !== folder)
  write(file, left)
  return left
}

function write(file: string, records: readonly SetupRecord[]): void {
  if (records.length === 0) return rmSync(file, { force: true })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeWhole(file, `${JSON.stringify(records, null, 2)}\n`, 0o600)
}
