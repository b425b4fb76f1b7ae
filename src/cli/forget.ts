/** `contextmd forget`: deletes all that is kept about one conversation. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { CommandError, type Command } from './command.ts'
import { withServer } from './connection.ts'

const Answer = z.object({ forgotten: z.boolean() })

export const command: Command = {
  name: 'forget',
  summary: 'Deletes all that is kept about a thread.',
  usage: `contextmd forget THREAD

Deletes all that is kept about a thread: its contexts and gates, its moments and what was served, its verdicts. Rules are
served in it as in a new one from then on. THREAD is its id, as in "contextmd threads".`,
  async run(argv, io) {
    const { positionals } = parseArgs({ args: argv, options: {}, allowPositionals: true })
    const [thread, ...more] = positionals
    if (thread === undefined || thread === '' || more.length > 0)
      throw new CommandError('usage', 'name one thread, as in: contextmd forget claude-code/6f1c2b1e-0000-4000-8000-000000000000')
    const connection = await withServer(io)
    const { forgotten } = Answer.parse(await connection.post('/control', { action: 'forget', thread }))
    if (!forgotten) throw new CommandError('failed', `nothing is kept about a thread "${thread}": contextmd threads lists them`)
    io.stdout.write(`${thread} is forgotten.\n`)
    return 0
  },
}
