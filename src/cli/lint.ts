/** `contextmd lint`: mistakes and notes of entries and stores, with file, line, reason and cure. */
import { homedir } from 'node:os'
import { basename, dirname, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Problem } from '../core/problem.ts'
import type { Matcher } from '../match/match.ts'
import { pathsFrom } from '../paths.ts'
import { lint } from '../stores/lint.ts'
import { lintFolder } from '../stores/lint-folder.ts'
import { openStores } from '../stores/open.ts'
import { projectOf } from '../stores/project.ts'
import { CommandError, type Command, type Io } from './command.ts'

const usage = `contextmd lint [FOLDER ...] [--json]

Checks the entries of all stores that serving.json names, and serving.json itself.
With folders: checks the entries in these instead, whether they are stores or not.

  --json   one JSON object: {"problems": [...], "errors": n, "warnings": n, "infos": n}

The exit code is 1 if there are errors. An entry with an error is not served; warnings and infos don't stop it.`

export const command: Command = {
  name: 'lint',
  summary: 'checks entries and stores, and says what is wrong and how to mend it',
  usage,
  run: (argv, io) => Promise.resolve(run(argv, io)),
}

function run(argv: string[], io: Io): number {
  const { values, positionals } = parseArgs({ args: argv, options: { json: { type: 'boolean' } }, allowPositionals: true })
  const home = io.env['HOME'] || homedir()
  const problems = positionals.length === 0 ? ofStores(io, home) : positionals.flatMap((folder) => ofFolder(folder, home))
  const count = (severity: Problem['severity']): number => problems.filter((problem) => problem.severity === severity).length
  const counts = { errors: count('error'), warnings: count('warning'), infos: count('info') }
  if (values.json) io.stdout.write(`${JSON.stringify({ problems, ...counts }, null, 2)}\n`)
  else io.stdout.write(`${[...problems.map(line), total(counts)].join('\n')}\n`)
  return counts.errors > 0 ? 1 : 0
}

function ofStores(io: Io, home: string): readonly Problem[] {
  const stores = openStores({ paths: pathsFrom(io.env), compile: () => NO_MATCH, now: Date.now, home, readsAtStart: Infinity })
  try {
    return lint(stores, Date.now(), projectOf(process.cwd()).root)
  } finally {
    stores.close()
  }
}

function ofFolder(given: string, home: string): readonly Problem[] {
  const folder = resolve(given)
  const projectRoot = projectOf(folder).root
  const problems = lintFolder({ name: basename(folder) || 'store', folder }, { home, projectRoot }, Date.now())
  if (problems === null) throw new CommandError('failed', `there is no folder of entries at ${folder} (in ${dirname(folder)})`)
  return problems
}

/** `file:line: severity: message (cure)`, as editors and terminals can follow it. */
function line(problem: Problem): string {
  const file = problem.file === undefined ? '' : near(problem.file)
  const place = file === '' ? '' : problem.line === undefined ? `${file}: ` : `${file}:${problem.line}: `
  return `${place}${problem.severity}: ${problem.message} (${problem.cure})`
}

/** Relative to where the person stands, if that is shorter. */
function near(file: string): string {
  const inside = relative(process.cwd(), file)
  return inside !== '' && !inside.startsWith('..') ? inside : file
}

function total(counts: { readonly errors: number; readonly warnings: number; readonly infos: number }): string {
  return `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}, ${plural(counts.infos, 'info')}`
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Lint does not match. */
const NO_MATCH: Matcher = { match: () => ({ candidates: [], notAnalysed: null }) }
