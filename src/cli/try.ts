/** `contextmd try`: what would be served or held at a moment that a person describes, the exact text, and why not the others. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { momentOf, type MomentPlace } from '../authors/told-moment.ts'
import { profileFor, subjectOf, tryMoment } from '../authors/trial.ts'
import { nearMisses } from '../authors/why-not.ts'
import type { Moment } from '../core/moment.ts'
import { noteFileIn } from '../engine/notes.ts'
import type { Harness } from '../harness.ts'
import { explain } from '../match/explain.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { createProjects } from '../stores/project.ts'
import { pathsFrom } from '../paths.ts'
import { realPathOf } from '../real-path.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { explanationLines } from './explanation-lines.ts'
import { entryById, homeOf, readStores, type SeenStores } from './stores.ts'
import { harnessNamed, momentInFile, TOLD_FLAGS, toldFrom } from './told-flags.ts'
import { trialLines } from './trial-lines.ts'

const usage = `contextmd try [--command LINE] [--prompt TEXT] [--path FILE [--write]] [--tool NAME] [--content TEXT]
              [--output TEXT] [--failed] [--session start|resume|compact|subagent] [--agent NAME]
              [--harness NAME] [--project DIR] [--event FILE] [--entry ID] [--json]

Says what would be served, held or forbidden at this moment, with the exact answer that the agent's hook would get, and why the
nearest of the other entries would not. With --entry it explains this one, condition by condition. Nothing is stored; no server is needed.

      --command LINE   a shell line that is about to run; with --output or --failed: that has run
      --prompt TEXT    what a person writes
      --path FILE      a file that is about to be read; with --write: to be written
      --tool NAME      the tool, by its canonical name (shell, read, edit, write, …) or the harness's own
      --content TEXT   text about to be written
      --output TEXT    what the call gave back
      --failed         the call failed
      --session WORD   a session starts, resumes, was compacted; or a subagent starts
      --agent NAME     main (default), subagent, or a subagent's type
      --harness NAME   default: claude-code
      --project DIR    the folder in which it happens; default: here
      --event FILE     the moment as a hook posts it, as JSON, instead of the flags
      --entry ID       explain one entry
      --json           for programs

Example: contextmd try --command "git push --force"`

export const command: Command = {
  name: 'try',
  summary: 'Says what would be served or held at a moment, and why not the others.',
  usage,
  run: (argv, io) => Promise.resolve(run(argv, io)),
}

const OPTIONS = {
  ...TOLD_FLAGS,
  harness: { type: 'string', default: 'claude-code' },
  project: { type: 'string' },
  event: { type: 'string' },
  entry: { type: 'string' },
  json: { type: 'boolean' },
} as const

function run(argv: string[], io: Io): number {
  const { values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: false })
  const { harness: name, project, event, entry, json, ...flags } = values
  const harness = harnessNamed(name)
  const at = Date.now()
  const home = homeOf(io)
  const cwd = resolve(project ?? process.cwd())
  const told = toldFrom(flags, harness.profile.name)
  const moment = event === undefined ? toldMoment(told, harness, { cwd, home, real: realPathOf, at }) : momentInFile(event, harness, at)
  if (moment === null) throw new CommandError('usage', 'describe a moment, as in: contextmd try --command "git push --force"')

  const here = createProjects()(project === undefined ? moment.cwd : cwd)
  const seen = readStores(io, here.root, { builtIn: true })
  const place = { project: here, home, real: realPathOf, noteOf: noteFileIn(pathsFrom(io.env).notes) }
  if (entry !== undefined)
    return one(entry, seen, moment, subjectOf(moment, profileFor(moment, harness), place), { io, json: json === true })

  const trial = tryMoment(moment, seen.view, harness, place)
  const matched = new Set<string>(trial.rows.map((row) => row.entry))
  const misses = nearMisses(
    seen.view.entries.filter(({ id }) => !matched.has(id)),
    trial.subject,
  )
  const broken = new Set(seen.view.problems.filter(({ severity }) => severity === 'error').map(({ file }) => file)).size
  if (json === true) {
    const { reply, answer, notes, rows, notAnalysed } = trial
    const whyNot = misses.map(({ entry: { id }, item, failed }) => ({ entry: id, item, failed }))
    io.stdout.write(
      `${JSON.stringify({ moment: moment.kind, project: here.root, reply, answer, notes, candidates: rows, whyNot, notAnalysed }, null, 2)}\n`,
    )
    return 0
  }
  const storeProblems = seen.view.problems.filter(({ code }) => code.startsWith('store_'))
  const shown = {
    moment,
    title: harness.profile.title,
    project: here,
    trial,
    misses,
    broken,
    storeProblems,
    entries: seen.view.entries.length,
  }
  io.stdout.write(`${trialLines(shown).join('\n')}\n`)
  return 0
}

/** As this harness's hooks would tell it: an answer is made for an event by its name. */
function toldMoment(told: ToldMoment, { eventNames }: Harness, place: MomentPlace): Moment | null {
  const moment = momentOf(told, place)
  return moment === null ? null : { ...moment, event: eventNames[moment.kind] ?? moment.event }
}

function one(
  wanted: string,
  seen: SeenStores,
  moment: Moment,
  subject: ReturnType<typeof subjectOf>,
  { io, json }: { readonly io: Io; readonly json: boolean },
): number {
  const entry = entryById(seen, wanted)
  const explanation = explain(entry, subject)
  if (json) io.stdout.write(`${JSON.stringify({ entry: entry.id, file: entry.file, moment: moment.kind, ...explanation }, null, 2)}\n`)
  else io.stdout.write(`${[`${entry.id}  (${entry.file})`, ...explanationLines(explanation)].join('\n')}\n`)
  return 0
}
