/**
 * `npm run canary -- claude-code [--only TEXT] [--version VERSION] [--json FILE]`: plays every row on the real program and says which seams are proven.
 *
 * Exit code 0 when all rows passed and each seam that the profile claims is proven; 1 when not; 2 when the call was wrong.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { claudeCode } from '../src/harness/claude-code/profile.ts'
import { claudeCodePackage } from './claude-code/package.ts'
import { CLAUDE_CODE_ROWS } from './claude-code/rows/rows.ts'
import { openStage } from './claude-code/stage.ts'
import { cacheFolder, installHarness } from './install.ts'
import { playRow } from './play.ts'
import { claimedSeams, isGood, seamResults, table } from './report.ts'
import type { CanaryReport } from './report.ts'
import type { RowResult } from './row.ts'

const USAGE = 'npm run canary -- claude-code [--only TEXT] [--version VERSION] [--json FILE]'

interface Call {
  readonly only: string
  readonly version: string | undefined
  readonly json: string | undefined
}

function call(argv: readonly string[]): Call | null {
  const options = { only: { type: 'string' }, version: { type: 'string' }, json: { type: 'string' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    if (positionals.length !== 1 || positionals[0] !== 'claude-code') return null
    return { only: values.only ?? '', version: values.version, json: values.json }
  } catch {
    return null
  }
}

async function canary({ only, version, json }: Call): Promise<number> {
  const print = (line: string): void => console.log(line)
  const rows = CLAUDE_CODE_ROWS.filter((row) => row.name.toLowerCase().includes(only.toLowerCase()))
  if (rows.length === 0) throw new Error(`no row's name holds "${only}"`)
  const installed = await installHarness(claudeCodePackage(version), process.env, print)
  const start = performance.now()
  const results: RowResult[] = []
  for (const row of rows) {
    const result = await playRow(row, () => openStage(installed.program, process.env))
    results.push(result)
    print(`${result.passed ? 'ok  ' : 'FAIL'} ${row.name} (${(result.ms / 1000).toFixed(1)} s)`)
    if (result.failure !== null) print(result.failure.replace(/^/gm, '     '))
  }
  const report: CanaryReport = {
    harness: claudeCode.name,
    version: installed.version,
    at: new Date().toISOString(),
    seconds: Math.round((performance.now() - start) / 1000),
    seams: seamResults(claimedSeams(claudeCode), results),
    rows: results,
  }
  print(`\n${table(report)}\n`)
  // A narrowed run is no record of the version.
  const file = json ?? (only === '' ? join(cacheFolder(process.env), `${claudeCode.name}-${installed.version}.json`) : null)
  if (file !== null) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
    print(`written to ${file}`)
  }
  const passed = results.filter((result) => result.passed).length
  print(`${passed} passed, ${results.length - passed} failed`)
  return isGood(report, only !== '') ? 0 : 1
}

const wanted = call(process.argv.slice(2))
if (wanted === null) console.error(USAGE)
// A row that hangs is ended by its own limits; what still holds the process open after that is ended here.
process.exit(
  wanted === null ? 2 : await canary(wanted).catch((error: unknown) => (console.error(error instanceof Error ? error.message : error), 1)),
)
