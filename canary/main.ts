/**
 * `npm run canary -- [HARNESS] [--only TEXT] [--version VERSION] [--json FILE]`: plays every row on the real program and says which seams are
 * proven. Without a name all of them, one after the other.
 *
 * `npm run canary -- --docs`: writes what the last whole runs proved into docs/harnesses.
 *
 * Exit code 0 when all rows passed and each seam that the profile claims is proven; 1 when not; 2 when the call was wrong.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { writePart } from './docs.ts'
import { cacheFolder, installHarness, latestVersion } from './install.ts'
import type { InstalledHarness } from './install.ts'
import { claimedSeams, claimsLine, isGood, isProvenEnough, provenShare, seamResults, table } from './report.ts'
import type { CanaryReport } from './report.ts'
import type { RowResult } from './row.ts'
import { SUBJECTS, type Subject } from './subjects.ts'

const USAGE = `npm run canary -- [HARNESS] [--only TEXT] [--version VERSION] [--json FILE]
npm run canary -- --docs
HARNESS is one of: ${Object.keys(SUBJECTS).join(', ')}; without one all are played.`

interface Call {
  readonly names: readonly string[]
  readonly only: string
  readonly version: string | undefined
  readonly json: string | undefined
  readonly docs: boolean
}

function call(argv: readonly string[]): Call | null {
  const options = {
    only: { type: 'string', default: '' },
    version: { type: 'string' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    const isKnown = positionals.every((name) => Object.hasOwn(SUBJECTS, name))
    if (!isKnown || positionals.length > 1 || (values.version !== undefined && positionals.length === 0)) return null
    const names = positionals.length === 0 ? Object.keys(SUBJECTS) : positionals
    return { names, only: values.only, version: values.version, json: values.json, docs: values.docs }
  } catch {
    return null
  }
}

/** What is printed as the last line of all. */
interface Tally {
  passed: number
  failed: number
}

const print = (line: string): void => console.log(line)

async function install({ packageOf }: Subject, version: string | undefined): Promise<InstalledHarness> {
  const wanted = version === 'latest' ? await latestVersion(packageOf().npmName, process.env) : version
  return installHarness(packageOf(wanted), process.env, print)
}

/** Null when the program could not be installed, or no row has such a name. */
async function playAll(subject: Subject, { only, version }: Call, tally: Tally): Promise<CanaryReport | null> {
  const { profile, excused } = subject
  const rows = subject.rows.filter((row) => row.name.toLowerCase().includes(only.toLowerCase()))
  if (rows.length === 0) return null
  const installed = await install(subject, version).catch((error: unknown) => {
    print(`NOT INSTALLED ${profile.title}: ${error instanceof Error ? error.message : String(error)}`)
    tally.failed += 1
  })
  if (installed === undefined) return null
  const start = performance.now()
  const results: RowResult[] = []
  for (const [index, row] of rows.entries()) {
    const result = await row.play(installed.program, process.env)
    results.push(result)
    print(`${result.passed ? 'ok  ' : 'FAIL'} ${index + 1}/${rows.length} ${row.name} (${(result.ms / 1000).toFixed(1)} s)`)
    if (result.failure !== null) print(result.failure.replace(/^/gm, '     '))
  }
  if (only === '') for (const { name, excuse } of excused) print(`--   ${name} (not played, ${excuse.since}: ${excuse.why})`)
  const report: CanaryReport = {
    harness: profile.name,
    version: installed.version,
    at: new Date().toISOString(),
    seconds: Math.round((performance.now() - start) / 1000),
    seams: seamResults(claimedSeams(profile), results),
    rows: results,
    excused,
    claims: provenShare(results),
  }
  print(`\n${table(report)}\n`)
  // The share of proven claims is a check of its own, and so is each seam of a whole run.
  const seams = only === '' ? report.seams.map(({ state }) => state === 'proven') : []
  const checks = [...results.map((result) => result.passed), isProvenEnough(report.claims), ...seams]
  tally.passed += checks.filter((isSo) => isSo).length
  tally.failed += checks.filter((isSo) => !isSo).length
  // A narrowed run is no record of the version.
  if (only === '') await keep(recordOf(report.harness, report.version), report)
  return report
}

function recordOf(harness: string, version: string): string {
  return join(cacheFolder(process.env), `${harness}-${version}.json`)
}

async function keep(file: string, what: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(what, null, 2)}\n`)
  print(`written to ${file}`)
}

async function canary(asked: Call): Promise<number> {
  const tally: Tally = { passed: 0, failed: 0 }
  const reports: CanaryReport[] = []
  for (const name of asked.names) {
    const subject = SUBJECTS[name]
    const report = subject === undefined ? null : await playAll(subject, asked, tally)
    if (report !== null) reports.push(report)
  }
  if (reports.length === 0 && tally.failed === 0) throw new Error(`no row's name holds "${asked.only}"`)
  if (reports.length > 1) checkTogether(reports, tally)
  if (asked.json !== undefined) await keep(asked.json, reports.length === 1 ? { ...reports[0] } : reports)
  print(`${tally.passed} passed, ${tally.failed} failed`)
  return tally.failed === 0 && reports.every((report) => isGood(report, asked.only !== '')) ? 0 : 1
}

/** One open claim is let pass for each harness, which plays fewer than a hundred; of all together no more than one in a hundred. */
function checkTogether(reports: readonly CanaryReport[], tally: Tally): void {
  const together = provenShare(reports.flatMap(({ rows }) => rows))
  print(`all together\n${claimsLine(together)}\n`)
  if (isProvenEnough(together)) tally.passed += 1
  else tally.failed += 1
}

/** From the records of the pinned versions. */
async function docs(): Promise<number> {
  for (const [name, { profile, packageOf }] of Object.entries(SUBJECTS)) {
    if (name !== profile.name) continue
    // Written by this very program.
    const report = JSON.parse(await readFile(recordOf(name, packageOf().version), 'utf8')) as CanaryReport
    print(`written to ${await writePart(report)}`)
  }
  return 0
}

const wanted = call(process.argv.slice(2))
if (wanted === null) console.error(USAGE)
const failed = (error: unknown): number => (console.error(error instanceof Error ? error.message : error), 1)
// A row that hangs is ended by its own limits; what still holds the process open after that is ended here.
process.exit(wanted === null ? 2 : await (wanted.docs ? docs() : canary(wanted)).catch(failed))
