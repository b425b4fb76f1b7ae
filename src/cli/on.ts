/** `contextmd on`: takes back `contextmd off`. */
import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { withServer } from './connection.ts'
import { control } from './control.ts'

export const command: Command = {
  name: 'on',
  summary: 'Switches serving on again.',
  usage: `contextmd on

Switches serving on again after "contextmd off".`,
  async run(argv, io) {
    parseArgs({ args: argv, options: {}, allowPositionals: false })
    const { state } = await control(await withServer(io), { action: 'on' })
    if (state === 'disabled') {
      io.stdout.write('Serving is not switched off, but disabled by a problem. See: contextmd health\n')
      return 1
    }
    io.stdout.write('Serving is on.\n')
    return 0
  },
}
