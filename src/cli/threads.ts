/** `contextmd threads`: conversations, with what happened in them. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { CommandError, type Command } from './command.ts'
import { withServer } from './connection.ts'

const DEFAULT_THREADS = 20
/** As many as the server gives in one answer. */
const MAX_THREADS = 200

const Answer = z.object({
  threads: z.array(
    z.object({ thread: z.string(), seenAt: z.number(), runs: z.number(), moments: z.number(), denied: z.number(), bytes: z.number() }),
  ),
})
type Thread = z.infer<typeof Answer>['threads'][number]

export const command: Command = {
  name: 'threads',
  summary: 'Lists conversations, the one seen last first.',
  usage: `contextmd threads [OPTIONS]

Lists the threads that were seen last, with their runs, moments, denied calls and the bytes of text that they were handed.
"contextmd log --thread ID" shows what happened in one; "contextmd forget ID" deletes all about it.

  -n, --limit COUNT   how many (default ${DEFAULT_THREADS}, at most ${MAX_THREADS})
      --json          each thread as one line of JSON`,
  async run(argv, io) {
    const options = { limit: { type: 'string', short: 'n' }, json: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: argv, options, allowPositionals: false })
    const limit = parseLimit(values.limit)
    const connection = await withServer(io)
    const answer = await connection.get(`/threads?limit=${limit}`)
    if (values.json === true) {
      const { threads } = z.object({ threads: z.array(z.unknown()) }).parse(answer)
      for (const thread of threads) io.stdout.write(`${JSON.stringify(thread)}\n`)
      return 0
    }
    const { threads } = Answer.parse(answer)
    if (threads.length === 0)
      io.stdout.write('No thread yet. Use your agent where its hooks are set up (contextmd setup), then look again.\n')
    else io.stdout.write([HEAD, ...threads.map(lineOf)].map((line) => `${line}\n`).join(''))
    return 0
  },
}

const HEAD = cells(['last seen', 'runs', 'moments', 'denied', 'bytes', 'thread'])

/** In the person's own time zone. */
function lineOf({ thread, seenAt, runs, moments, denied, bytes }: Thread): string {
  return cells([new Date(seenAt).toLocaleString(), runs, moments, denied, bytes, thread])
}

function cells([seen, runs, moments, denied, bytes, thread]: readonly (string | number)[]): string {
  const figures = [String(runs).padStart(5), String(moments).padStart(8), String(denied).padStart(7), String(bytes).padStart(9)]
  return `${String(seen).padEnd(23)}${figures.join('')}  ${thread}`
}

function parseLimit(text: string | undefined): number {
  const limit = Number(text ?? DEFAULT_THREADS)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_THREADS) return limit
  throw new CommandError('usage', `--limit takes a number from 1 to ${MAX_THREADS}, not "${text}"`)
}
