/** `contextmd why`: why entries spoke or did not at a call that really happened, read back from the harness's own record. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { subjectOf } from '../authors/trial.ts'
import type { Entry } from '../core/entry.ts'
import type { Moment } from '../core/moment.ts'
import type { Harness } from '../harness.ts'
import { recallCall, sessionFiles, type RecalledCall } from '../harness/claude-code/recall.ts'
import { explain, type Explanation } from '../match/explain.ts'
import { realPathOf } from '../real-path.ts'
import { createProjects } from '../stores/project.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { happenedRows, type HappenedRow } from './happened-rows.ts'
import { entryById, homeOf, readStores } from './stores.ts'
import { harnessNamed } from './told-flags.ts'
import { whyLines } from './why-lines.ts'

const usage = `contextmd why --last [--entry ID] [--json]
contextmd why --call ID [--entry ID] [--json]

Explains, entry by entry and condition by condition, why rules spoke or did not at a call that really happened. The call is read
back from the agent's own session file (Claude Code); nothing of it is stored. Entries are taken as they are now. Where the server
runs, its log says what became of each entry then.

      --last          the last call that the log knows, else that of the newest session
      --call ID       the call with this id (toolu_…)
      --entry ID      only this entry
      --records FILE  the session file, where it lies elsewhere
      --json          for programs`

export const command: Command = {
  name: 'why',
  summary: 'Says why entries spoke or did not at a call that really happened.',
  usage,
  run,
}

const OPTIONS = {
  last: { type: 'boolean' },
  call: { type: 'string' },
  entry: { type: 'string' },
  records: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Session files that are searched for a call that the log does not know. */
const MOST_FILES = 100

/** What is said of one entry at one moment of the call. */
export interface Why {
  readonly entry: Entry
  readonly explanation: Explanation
  /** What the log says of it; null where it has no word for it. */
  readonly happened: { readonly outcome: string; readonly hasChanged: boolean } | null
}

export interface WhyMoment {
  readonly moment: Moment
  readonly outcome: string | null
  readonly whys: readonly Why[]
}

async function run(argv: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: false })
  if ((values.last === true) === (values.call !== undefined)) throw new CommandError('usage', 'give --last, or --call ID')
  const rows = await happenedRows(io)
  const call = await recall(values.call ?? null, values.records, rows, io)
  const harness = harnessNamed('claude-code')
  const moments = [call.before, ...(call.after === null ? [] : [call.after])].flatMap((event) => decoded(event, harness, call))
  const first = moments[0]
  if (first === undefined) throw new CommandError('failed', `${call.file} holds the call ${call.call}, but not as an event that is known`)

  const project = createProjects()(first.cwd)
  const seen = readStores(io, project.root, { builtIn: true })
  const entries = values.entry === undefined ? seen.view.entries : [entryById(seen, values.entry)]
  const place = { project, home: seen.home, real: realPathOf }
  const told = moments.map((moment): WhyMoment => {
    const row = rows.find(({ delivery }) => moment.deliveryId !== null && delivery.endsWith(`|${moment.deliveryId}`)) ?? null
    const subject = subjectOf(moment, harness.profile, place)
    const whys = entries.map((entry) => ({ entry, explanation: explain(entry, subject), happened: happenedTo(entry, row) }))
    return { moment, outcome: row?.outcome ?? null, whys }
  })
  if (values.json === true) io.stdout.write(`${JSON.stringify(asJson(call, told), null, 2)}\n`)
  else io.stdout.write(`${whyLines(call, told, values.entry !== undefined).join('\n')}\n`)
  return 0
}

function decoded(event: object, harness: Harness, { at }: RecalledCall): readonly Moment[] {
  const found = harness.decode(event, at ?? Date.now())
  return found.ok && (found.moment.kind === 'before-tool' || found.moment.kind === 'after-tool') ? [found.moment] : []
}

function happenedTo(entry: Entry, row: HappenedRow | null): Why['happened'] {
  const candidate = row?.candidates.find((one) => one.entry === entry.id)
  return candidate === undefined ? null : { outcome: candidate.outcome, hasChanged: candidate.entryHash !== entry.hash }
}

async function recall(call: string | null, records: string | undefined, rows: readonly HappenedRow[], io: Io): Promise<RecalledCall> {
  const row = rows.find(({ delivery }) => (call === null ? /\/PreToolUse\/[^/]+$/.test(delivery) : delivery.endsWith(`/${call}`))) ?? null
  const wanted = call ?? row?.delivery.split('/').at(-1) ?? null
  for (const file of filesFor(records, row, io)) {
    const found = await recallCall(file, records === undefined ? wanted : call)
    if (found !== null) return found
  }
  if (wanted === null) throw new CommandError('failed', 'no session of Claude Code holds a call: name its file with --records')
  throw new CommandError('failed', `no session file holds the call ${wanted}: name the file with --records`)
}

function filesFor(records: string | undefined, row: HappenedRow | null, io: Io): readonly string[] {
  if (records !== undefined) {
    const file = resolve(records)
    if (!existsSync(file)) throw new CommandError('failed', `there is no file ${file}`)
    return [file]
  }
  const folder = resolve(io.env['CLAUDE_CONFIG_DIR'] || join(homeOf(io), '.claude'))
  const [, session = null, agent = null] = row?.context.split('/') ?? []
  return sessionFiles(folder, session, agent).slice(0, MOST_FILES)
}

function asJson({ call, file, wasDenied }: RecalledCall, moments: readonly WhyMoment[]): object {
  return {
    call,
    file,
    wasDenied,
    moments: moments.map(({ moment, outcome, whys }) => ({
      moment: moment.kind,
      outcome,
      entries: whys.map(({ entry, explanation, happened }) => ({ entry: entry.id, ...explanation, happened })),
    })),
  }
}
