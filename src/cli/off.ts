/** `contextmd off`: a person switches serving off, for a while or until they switch it on. */
import { parseArgs } from 'node:util'
import type { Command } from './command.ts'
import { withServer } from './connection.ts'
import { control } from './control.ts'
import { parseDuration } from './duration.ts'

export const command: Command = {
  name: 'off',
  summary: 'Switches serving off, for a while or until "contextmd on".',
  usage: `contextmd off [--for SPAN]

Switches serving off: no rule is served and no call is held or forbidden. Moments are still logged, with the outcome "off".

      --for SPAN   come back by itself after that long: 30m, 2h, 1d

To switch it off for one agent only, start that agent with CONTEXTMD_OFF=1 in its environment.`,
  async run(argv, io) {
    const { values } = parseArgs({ args: argv, options: { for: { type: 'string' } }, allowPositionals: false })
    const minutes = values.for === undefined ? null : parseDuration(values.for, '--for') / 60_000
    const { offUntil } = await control(await withServer(io), { action: 'off', ...(minutes !== null && { minutes }) })
    const until = offUntil === null ? 'until you switch it on' : `until ${new Date(offUntil).toLocaleString()}`
    io.stdout.write(`Serving is off ${until}. Back at once with: contextmd on\n`)
    return 0
  },
}
