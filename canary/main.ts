/**
 * `npm run canary -- HARNESS [--only TEXT] [--version VERSION] [--json FILE]`: plays every row on the real program and says which seams are proven.
 *
 * Exit code 0 when all rows passed and each seam that the profile claims is proven; 1 when not; 2 when the call was wrong.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { cacheFolder, installHarness } from './install.ts'
import { claimedSeams, isGood, seamResults, table } from './report.ts'
import type { CanaryReport } from './report.ts'
import type { RowResult } from './row.ts'
import { SUBJECTS, type Subject } from './subjects.ts'

const USAGE = `npm run canary -- HARNESS [--only TEXT] [--version VERSION] [--json FILE]
HARNESS is one of: ${Object.keys(SUBJECTS).join(', ')}`

interface Call {
  readonly subject: Subject
  readonly only: string
  readonly version: string | undefined
  readonly json: string | undefined
}

function call(argv: readonly string[]): Call | null {
  const options = { only: { type: 'string' }, version: { type: 'string' }, json: { type: 'string' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const [name = '', ...more] = positionals
    const subject = SUBJECTS[name]
    if (subject === undefined || more.length > 0) return null
    return { subject, only: values.only ?? '', version: values.version, json: values.json }
  } catch {
    return null
  }
}

async function canary({ subject, only, version, json }: Call): Promise<number> {
  const print = (line: string): void => console.log(line)
  const { profile } = subject
  const rows = subject.rows.filter((row) => row.name.toLowerCase().includes(only.toLowerCase()))
  if (rows.length === 0) throw new Error(`no row's name holds "${only}"`)
  const installed = await installHarness(subject.packageOf(version), process.env, print)
  const start = performance.now()
  const results: RowResult[] = []
  for (const row of rows) {
    const result = await row.play(installed.program, process.env)
    results.push(result)
    print(`${result.passed ? 'ok  ' : 'FAIL'} ${row.name} (${(result.ms / 1000).toFixed(1)} s)`)
    if (result.failure !== null) print(result.failure.replace(/^/gm, '     '))
  }
  const report: CanaryReport = {
    harness: profile.name,
    version: installed.version,
    at: new Date().toISOString(),
    seconds: Math.round((performance.now() - start) / 1000),
    seams: seamResults(claimedSeams(profile), results),
    rows: results,
  }
  print(`\n${table(report)}\n`)
  // A narrowed run is no record of the version.
  const file = json ?? (only === '' ? join(cacheFolder(process.env), `${profile.name}-${installed.version}.json`) : null)
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
