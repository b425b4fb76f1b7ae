/** `contextmd test`: runs the tests in the front matter of entries. */
import { parseArgs } from 'node:util'
import { runTests, testLine, type TestResult } from '../authors/run-tests.ts'
import { projectOf } from '../stores/project.ts'
import type { Command, Io } from './command.ts'
import { entryById, readStores } from './stores.ts'

const usage = `contextmd test [--entry ID] [--json]

Runs the tests in the front matter of all entries, or of one:

    tests:
      - match: { command: git push --force }
      - no-match: { command: git push }

Of a test that fails it says which condition did not hold, and what was seen there. The exit code is 1 if one fails.
"contextmd lint" runs them too.

      --entry ID   only this entry
      --json       one JSON object: {"passed": n, "failed": n, "untested": ["id", ...], "failures": [...]}`

export const command: Command = {
  name: 'test',
  summary: 'Runs the tests that stand in the front matter of entries.',
  usage,
  run: (argv, io) => Promise.resolve(run(argv, io)),
}

function run(argv: string[], io: Io): number {
  const options = { entry: { type: 'string' }, json: { type: 'boolean' } } as const
  const { values } = parseArgs({ args: argv, options, allowPositionals: false })
  const seen = readStores(io, projectOf(process.cwd()).root)
  const entries = values.entry === undefined ? seen.view.entries : [entryById(seen, values.entry)]
  const results = entries.map((entry) => ({ entry, results: runTests(entry) }))
  const all = results.flatMap((one) => one.results)
  const failures = all.filter(({ hasPassed }) => !hasPassed)
  const untested = results.filter((one) => one.results.length === 0).map(({ entry }) => entry.id)
  const passed = all.length - failures.length
  if (values.json === true) {
    const listed = failures.map(({ entry, line, why, ...test }) => ({ entry: entry.id, file: entry.file, line, test: testLine(test), why }))
    io.stdout.write(`${JSON.stringify({ passed, failed: failures.length, untested, failures: listed }, null, 2)}\n`)
  } else {
    const lines = failures.map(failureLine)
    if (untested.length > 0) lines.push(`${untested.length} ${untested.length === 1 ? 'entry has' : 'entries have'} no tests`)
    io.stdout.write(`${[...lines, `${passed} passed, ${failures.length} failed`].join('\n')}\n`)
  }
  return failures.length > 0 ? 1 : 0
}

function failureLine(result: TestResult): string {
  return `${result.entry.file}:${result.line}: ${result.entry.id}: ${testLine(result)} ${result.why}`
}
