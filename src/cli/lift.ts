/** `contextmd lift`: a person lifts an entry's gate by hand. */
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { nearest } from '../stores/nearest.ts'
import { CommandError, type Command } from './command.ts'
import { withServer } from './connection.ts'
import { control } from './control.ts'

const Entries = z.object({ entries: z.array(z.object({ id: z.string() })) })

export const command: Command = {
  name: 'lift',
  summary: 'Lifts the gate of an entry, so that the calls it holds go on.',
  usage: `contextmd lift ENTRY [--thread ID]

Lifts the gate of a must-know entry by hand: the calls that it holds go on, in all contexts of the last day
or in one thread. It is armed again after a compaction, or when the entry changes. ENTRY is its id, as in "contextmd log".

      --thread ID   only in this thread`,
  async run(argv, io) {
    const { values, positionals } = parseArgs({ args: argv, options: { thread: { type: 'string' } }, allowPositionals: true })
    const [entry, ...more] = positionals
    if (entry === undefined || more.length > 0)
      throw new CommandError('usage', 'name one entry, as in: contextmd lift rules/commit-messages')
    const connection = await withServer(io)
    const known = Entries.parse(await connection.get('/entries')).entries.map(({ id }) => id)
    if (!known.includes(entry)) throw unknownEntry(entry, known)
    const thread = values.thread === undefined ? {} : { thread: values.thread }
    const { lifted = 0 } = await control(connection, { action: 'lift', entry, ...thread })
    io.stdout.write(
      lifted === 0
        ? `No context holds anything for ${entry}.\n`
        : `${entry} is lifted in ${lifted} ${lifted === 1 ? 'context' : 'contexts'}.\n`,
    )
    return 0
  },
}

function unknownEntry(entry: string, known: readonly string[]): CommandError {
  const suggestion = known.find((other) => other.endsWith(`/${entry}`)) ?? nearest(entry, known)
  const hint = suggestion === null ? 'contextmd log names those that matched' : `did you mean "${suggestion}"?`
  return new CommandError('failed', `there is no entry "${entry}": ${hint}`)
}
