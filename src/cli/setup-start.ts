/** The last part of `contextmd setup`: whether hooks start the server. */
import { pathsFrom } from '../paths.ts'
import { letHooksStart } from '../service/start-file.ts'
import type { Io } from './command.ts'

/** `wanted`: what was asked for; null: as before. Only what a person would not expect is said; inside a host they expect none. */
export function tellStart(wanted: boolean | null, io: Io, isInside = false): void {
  const does = letHooksStart(pathsFrom(io.env), { wanted, env: io.env })
  switch (does) {
    case 'starts':
      if (wanted === true) io.stdout.write('Hooks start the server where it does not run.\n')
      return
    case 'leaves':
      if (isInside) return
      io.stdout.write('Hooks do not start the server (--autostart lets them): run "contextmd service install", or "contextmd serve".\n')
      return
    case 'passing':
      io.stdout.write('Hooks can not start the server: ContextMD runs from a cache here that is emptied some day. Install it first.\n')
      return
    default:
      does satisfies never
  }
}
