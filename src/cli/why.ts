/** `contextmd why`: why entries spoke or did not at a call that really happened, read back from the harness's own record. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { subjectOf } from '../authors/trial.ts'
import type { Entry } from '../core/entry.ts'
import type { HarnessName } from '../core/id.ts'
import type { Moment } from '../core/moment.ts'
import { asTold } from '../engine/delivery.ts'
import type { Harness } from '../harness.ts'
import { recall as claudeCode } from '../harness/claude-code/recall.ts'
import { recall as codex } from '../harness/codex/recall.ts'
import { recall as grok } from '../harness/grok/recall.ts'
import { recall as opencode } from '../harness/opencode/recall.ts'
import { newestFirst, type Recall, type RecalledCall } from '../harness/recall.ts'
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
back from the agent's own records; nothing of it is stored. Entries are taken as they are now. Where the server
runs, its log says what became of each entry then.

      --last          the last call that the log knows, else that of the newest session
      --call ID       the call with this id (toolu_…, call_…)
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
  const { call, harness } = await recall(values.call ?? null, values.records, rows, io)
  const moments = [call.before, ...(call.after === null ? [] : [call.after])].flatMap((event) => decoded(event, harness, call))
  const first = moments[0]
  if (first === undefined) throw new CommandError('failed', `${call.file} holds the call ${call.call}, but not as an event that is known`)

  const project = createProjects()(first.cwd)
  const seen = readStores(io, project.root, { builtIn: true })
  const entries = values.entry === undefined ? seen.view.entries : [entryById(seen, values.entry)]
  const place = { project, home: seen.home, real: realPathOf }
  const told = moments.map((moment): WhyMoment => {
    const row = rows.find((one) => isRowOf(one, moment, call.call)) ?? null
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

const RECALLS: Readonly<Record<HarnessName, Recall>> = { 'claude-code': claudeCode, codex, grok, opencode }

interface Recalled {
  readonly call: RecalledCall
  readonly harness: Harness
}

async function recall(call: string | null, records: string | undefined, rows: readonly HappenedRow[], io: Io): Promise<Recalled> {
  const isWanted = ({ kind, harness, delivery }: HappenedRow): boolean =>
    harness in RECALLS && (call === null ? kind === 'before-tool' : untimed(harness, delivery).endsWith(`/${call}`))
  const row = rows.find(isWanted) ?? null
  const wanted = call ?? (row === null ? null : (untimed(row.harness, row.delivery).split('/').at(-1) ?? null))
  for (const { file, name, from } of filesFor(records, row, io)) {
    const found = await from.call(file, records === undefined ? wanted : call)
    if (found !== null) return { call: found, harness: harnessNamed(name) }
  }
  if (wanted === null) throw new CommandError('failed', 'no session file holds a call: name the file with --records')
  throw new CommandError('failed', `no session file holds the call ${wanted}: name the file with --records`)
}

/** The log's row of a moment that was read back. A record of Grok Build's tells neither the time nor the spelling of its event. */
function isRowOf({ kind, harness, delivery }: HappenedRow, moment: Moment, call: string): boolean {
  if (moment.deliveryId === null || harness !== moment.harness) return false
  if (harness !== 'grok') return asTold(delivery).endsWith(`|${moment.deliveryId}`)
  return kind === moment.kind && delivery.includes(`|${moment.session}/`) && untimed(harness, delivery).endsWith(`/${call}`)
}

/** A delivery id that ends in its call. Grok Build's end in the time of their event, which its records do not hold. */
function untimed(harness: string, delivery: string): string {
  const told = asTold(delivery)
  return harness === 'grok' ? told.slice(0, told.lastIndexOf('/')) : told
}

interface RecordsFile {
  readonly file: string
  readonly name: string
  readonly from: Recall
}

/** The newest file first, whichever harness it is of. */
function filesFor(records: string | undefined, row: HappenedRow | null, io: Io): readonly RecordsFile[] {
  const all = Object.entries(RECALLS).map(([name, from]) => ({ name, from }))
  if (records !== undefined) {
    const file = resolve(records)
    if (!existsSync(file)) throw new CommandError('failed', `there is no file ${file}`)
    return all.map((one) => ({ ...one, file }))
  }
  const [, session = null, agent = null] = row?.context.split('/') ?? []
  const place = { home: homeOf(io), env: io.env }
  const known = all
    .filter(({ name }) => row === null || name === row.harness)
    .flatMap((one) =>
      one.from
        .files(place, session, agent)
        .slice(0, MOST_FILES)
        .map((file) => ({ ...one, file })),
    )
  const order = newestFirst(known.map(({ file }) => file))
  return known.toSorted((a, b) => order.indexOf(a.file) - order.indexOf(b.file))
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
