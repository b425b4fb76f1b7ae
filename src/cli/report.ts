/** `contextmd report`: what became of each entry, and what it cost. */
import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { withServer } from './connection.ts'
import { parseSince } from './duration.ts'
import { ReportAnswer } from './report-answer.ts'
import { reportText } from './report-table.ts'

const DEFAULT_SPAN = '7d'

export const command: Command = {
  name: 'report',
  summary: 'Tells for each entry how often it was served, shown, held and obeyed, and what it cost.',
  usage: `contextmd report [--since SPAN] [--json]

Tells for each entry how often its trigger matched, how often it was served, what share of it is proven shown,
how often it held a call and how that ended, whether the agent obeyed, and how many UTF-8 bytes
of its text were handed over, our marks included.
Then the entries that never fire, those that fire and are ignored, and what the harnesses let pass without us.

      --since SPAN   from then on: 12h, 30d, or a date (default ${DEFAULT_SPAN})
      --json         the whole report`,
  async run(argv, io) {
    const options = { since: { type: 'string' }, json: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: argv, options, allowPositionals: false })
    const since = Math.max(0, Math.floor(parseSince(values.since ?? DEFAULT_SPAN, '--since', Date.now())))
    const connection = await withServer(io)
    const answer = await connection.get(`/report?since=${since}`)
    io.stdout.write(values.json === true ? `${JSON.stringify(answer, null, 2)}\n` : reportText(ReportAnswer.parse(answer)))
    return 0
  },
}
