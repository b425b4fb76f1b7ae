/** `contextmd lint`: mistakes and notes of entries and stores, with file, line, reason and cure; mends what is safe to mend. */
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { withAdvice } from '../authors/lint.ts'
import type { Entry } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import { HARNESSES } from '../harness/all.ts'
import type { Matcher } from '../match/match.ts'
import { pathsFrom } from '../paths.ts'
import { readFileOnce, stampOf } from '../stores/file.ts'
import { expiredEntry, lint } from '../stores/lint.ts'
import { lintFolder } from '../stores/lint-folder.ts'
import { openStores } from '../stores/open.ts'
import { parseEntry } from '../stores/parse-entry.ts'
import { PROJECT_STORE } from '../stores/project-store.ts'
import { projectOf } from '../stores/project.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { fixFiles } from './lint-fix.ts'
import { problemLine } from './problem-line.ts'
import { homeOf } from './stores.ts'

const usage = `contextmd lint [FOLDER | FILE ...] [--fix [--dry-run]] [--json]

Checks the entries of all stores that serving.json names, and serving.json itself, and runs the tests of the entries.
With folders or files: checks these entries instead, whether they are in a store or not.

  --fix       mends what is safe to mend (misspelt keys and words, tabs, missing quotes, byte order mark, line ends)
              and shows it as a diff
  --dry-run   with --fix: shows the diff and writes nothing
  --json      one JSON object: {"problems": [...], "errors": n, "warnings": n, "infos": n}; with --fix also "fixed"

The exit code is 1 if there are errors. An entry with a mistake is not served; warnings and infos don't stop it.`

export const command: Command = {
  name: 'lint',
  summary: 'Checks entries and stores, and says what is wrong and how to mend it.',
  usage,
  run: (argv, io) => Promise.resolve(run(argv, io)),
}

interface Found {
  readonly problems: readonly Problem[]
  readonly entries: readonly Entry[]
}

function run(argv: string[], io: Io): number {
  const options = { json: { type: 'boolean' }, fix: { type: 'boolean' }, 'dry-run': { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true })
  if (values['dry-run'] === true && values.fix !== true) throw new CommandError('usage', '--dry-run goes with --fix')
  const look = (): readonly Found[] => (positionals.length === 0 ? [ofStores(io)] : positionals.map((path) => ofPath(path, io)))
  let found = look()
  const fixes = values.fix === true ? fixFiles(filesOf(found), values['dry-run'] !== true) : []
  if (fixes.length > 0 && values['dry-run'] !== true) found = look()

  const problems = found.flatMap((one) => one.problems)
  const count = (severity: Problem['severity']): number => problems.filter((problem) => problem.severity === severity).length
  const counts = { errors: count('error'), warnings: count('warning'), infos: count('info') }
  const fixed = values.fix === true ? { fixed: fixes.map(({ file, diff }) => ({ file, diff })) } : {}
  if (values.json === true) io.stdout.write(`${JSON.stringify({ problems, ...counts, ...fixed }, null, 2)}\n`)
  else io.stdout.write(`${[...fixes.map(({ diff }) => diff), ...problems.map(problemLine), total(counts)].join('\n')}\n`)
  return counts.errors > 0 ? 1 : 0
}

function ofStores(io: Io): Found {
  const home = homeOf(io)
  const stores = openStores({ paths: pathsFrom(io.env), compile: () => NO_MATCH, now: Date.now, home, readsAtStart: Infinity })
  try {
    const { root } = projectOf(process.cwd())
    const problems = lint(stores, Date.now(), root)
    const { entries } = stores.current(root)
    return { problems: withAdvice(problems, entries, { profiles, home, projectRoot: root, ownFolder: join(root, PROJECT_STORE) }), entries }
  } finally {
    stores.close()
  }
}

function ofPath(given: string, io: Io): Found {
  const path = resolve(given)
  if (stampOf(path)?.kind !== 'file') return ofFolder(given, io)
  const read = readFileOnce(path)
  if (read.kind !== 'read') throw new CommandError('failed', `${path} can't be read`)
  const home = homeOf(io)
  const folder = dirname(path)
  const projectRoot = projectOf(folder).root
  const ownFolder = join(projectRoot, PROJECT_STORE)
  const { entry, problems } = parseEntry(path, read.bytes, { name: basename(folder) || 'store', folder }, { home })
  const entries = entry === null ? [] : [entry]
  const found = [...problems, ...entries.flatMap((one) => expiredEntry(one, Date.now()))]
  return { problems: withAdvice(found, entries, { profiles, home, projectRoot, ownFolder }), entries }
}

export function ofFolder(given: string, io: Io): Found {
  const folder = resolve(given)
  const home = homeOf(io)
  const projectRoot = projectOf(folder).root
  const linted = lintFolder({ name: basename(folder) || 'store', folder }, { home, projectRoot }, Date.now())
  if (linted === null) throw new CommandError('failed', `there is no folder of entries at ${folder} (in ${dirname(folder)})`)
  const { problems, entries } = linted
  return { problems: withAdvice(problems, entries, { profiles, home, projectRoot, ownFolder: join(projectRoot, PROJECT_STORE) }), entries }
}

const profiles = HARNESSES.map(({ profile }) => profile)

/** Files of entries, those with a mistake too. */
function filesOf(found: readonly Found[]): readonly string[] {
  const files = found.flatMap(({ entries, problems }) => [...entries.map(({ file }) => file), ...problems.map(({ file }) => file ?? '')])
  return [...new Set(files)].filter((file) => /\.md$/i.test(file)).sort()
}

function total(counts: { readonly errors: number; readonly warnings: number; readonly infos: number }): string {
  return `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}, ${plural(counts.infos, 'info')}`
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

/** Lint does not match moments; tests of entries are run one by one. */
const NO_MATCH: Matcher = { match: () => ({ candidates: [], notAnalysed: null }) }
