/** `contextmd log`: what happened at each moment, and what is proven. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { LIFTS, MOMENT_OUTCOMES, OUTCOMES } from '../core/outcome.ts'
import { nearest } from '../stores/nearest.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { withServer, type Connection } from './connection.ts'
import { parseSince } from './duration.ts'
import { LogAnswer, LogRow } from './log-row.ts'
import { momentLines, tableHead, verdictLines, type TableLook } from './log-table.ts'

const DEFAULT_ROWS = 30
/** As many as the server gives in one answer. */
const MAX_ROWS = 1_000
/** Rows that are remembered to tell what a verdict changed. */
const REMEMBERED_ROWS = 1_000

const OPTIONS = {
  follow: { type: 'boolean', short: 'f' },
  json: { type: 'boolean' },
  thread: { type: 'string' },
  entry: { type: 'string' },
  outcome: { type: 'string' },
  harness: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string', short: 'n' },
} as const

/** One word a line, with what it means. */
function legend(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([word, meaning]) => `  ${word.padEnd(20)}${meaning}`)
    .join('\n')
}

export const command: Command = {
  name: 'log',
  summary: 'Shows the moments, the entries that matched, what became of them, and what is proven.',
  usage: `contextmd log [OPTIONS]

Shows the newest moments, the oldest of them first. Below each stand the entries that matched, with their
outcome: "shown" means that the text stood whole in what the model was sent, and that the model answered.
Bytes are those of rule text that was handed over, our marks included, in UTF-8; the stub of a deny is not in them.

  -f, --follow        go on with what happens from now on, until Ctrl+C
      --since SPAN    from then on: 30m, 2h, 1d, or a date
      --entry ID      only moments at which this entry matched
      --outcome NAME  only moments or entries with this outcome: served, denied, shown, hidden, over_budget, …
      --thread ID     only this thread
      --harness NAME  only this harness: claude-code, codex, grok, opencode
  -n, --limit COUNT   how many moments (default ${DEFAULT_ROWS}, with --since ${MAX_ROWS}, at most ${MAX_ROWS})
      --json          each moment as one line of JSON

Outcomes, at the moment and later by what is proven:
${legend(OUTCOMES)}

A gate is lifted, or armed again. How it was lifted:
${legend(LIFTS)}`,
  async run(argv, io) {
    const { values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: false })
    const query = new URLSearchParams()
    for (const key of ['thread', 'entry', 'outcome', 'harness'] as const) {
      if (values[key] !== undefined) query.set(key, values[key])
    }
    if (values.outcome !== undefined) requireOutcome(values.outcome)
    if (values.since !== undefined) query.set('since', String(Math.floor(parseSince(values.since, '--since', Date.now()))))
    query.set('limit', String(parseLimit(values.limit, values.since === undefined ? DEFAULT_ROWS : MAX_ROWS)))

    const connection = await withServer(io)
    const show = { json: values.json === true, look: lookFor(io), io }
    return values.follow === true ? await follow(connection, query, show) : await list(connection, query, show)
  },
}

/** For programs each row goes through as the server gave it. */
const WholeRows = z.object({ moments: z.array(z.unknown()) })

interface Show {
  readonly json: boolean
  readonly look: TableLook
  readonly io: Io
}

async function list(connection: Connection, query: URLSearchParams, { json, look, io }: Show): Promise<number> {
  const answer = await connection.get(`/log?${query}`)
  if (json) {
    const { moments } = WholeRows.parse(answer)
    for (const moment of moments) io.stdout.write(`${JSON.stringify(moment)}\n`)
    return 0
  }
  const { moments } = LogAnswer.parse(answer)
  const isFiltered = ['thread', 'entry', 'outcome', 'harness', 'since'].some((key) => query.has(key))
  if (moments.length === 0 && isFiltered) io.stdout.write('No moment is like that. "contextmd log" without filters shows all.\n')
  else if (moments.length === 0)
    io.stdout.write('No moments yet. Use your agent where its hooks are set up (contextmd setup), then look again.\n')
  else io.stdout.write(tableHead(look))
  for (const moment of moments) io.stdout.write(momentLines(moment, look))
  return 0
}

async function follow(connection: Connection, query: URLSearchParams, { json, look, io }: Show): Promise<number> {
  const seen = new Map<number, LogRow>()
  if (!json) io.stdout.write(tableHead(look))
  for await (const { event, data } of connection.follow(`/log?${query}&follow`)) {
    if (json) {
      io.stdout.write(`${data}\n`)
      continue
    }
    const row = LogRow.parse(JSON.parse(data))
    io.stdout.write(event === 'verdict' ? verdictLines(seen.get(row.number), row, look) : momentLines(row, look))
    seen.set(row.number, row)
    for (const number of seen.keys()) if (number <= row.number - REMEMBERED_ROWS) seen.delete(number)
  }
  io.stderr.write('The server has ended the stream.\n')
  return 0
}

/** A misspelt one would find nothing, without a word. */
function requireOutcome(name: string): void {
  const known = [...Object.keys(OUTCOMES), ...Object.keys(MOMENT_OUTCOMES)]
  if (known.includes(name)) return
  const meant = nearest(name, known)
  const hint = meant === null ? `use one of ${known.join(', ')}` : `did you mean "${meant}"?`
  throw new CommandError('usage', `there is no outcome "${name}": ${hint}`)
}

function parseLimit(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 0 && limit <= MAX_ROWS) return limit
  throw new CommandError('usage', `--limit takes a number from 0 to ${MAX_ROWS}, not "${text}"`)
}

function lookFor(io: Io): TableLook {
  // https://no-color.org
  return { colours: io.isTTY === true && !io.env['NO_COLOR'], now: Date.now() }
}
