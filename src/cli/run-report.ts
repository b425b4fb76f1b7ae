/** The artefact of `contextmd run`: what was served while the command ran, and what became of it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Report } from '../report/report.ts'
import { CommandError, type Io } from './command.ts'
import { ReportAnswer } from './report-answer.ts'
import { reportText } from './report-table.ts'

/** `file`: for JSON, and beside it for the table; null: the table to stderr. Throws a `CommandError` where it can't be written. */
export function writeReport(report: Report, file: string | null, io: Io): void {
  const json = JSON.stringify(report, null, 2)
  const table = reportText(ReportAnswer.parse(JSON.parse(json)))
  if (file === null) {
    io.stderr.write(table)
    return
  }
  const path = resolve(file)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${json}\n`)
    writeFileSync(path.endsWith('.json') ? path.replace(/json$/, 'txt') : `${path}.txt`, table)
  } catch (cause) {
    throw new CommandError('failed', `the report can't be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
