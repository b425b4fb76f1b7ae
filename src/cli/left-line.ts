/** What `contextmd remove` leaves as it is. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readHostToken, type HostToken } from '../install/host-token.ts'
import type { Paths } from '../paths.ts'

/** `host`: that hooks posted into; left out: as setup has kept it. */
export function leftLine(
  paths: Pick<Paths, 'serving' | 'data' | 'state'>,
  isDataGone = false,
  host: Pick<HostToken, 'stateDir'> | null = readHostToken(paths.data),
): string {
  const own = [paths.serving, 'your stores']
  const inside = host === null ? [] : [`${join(host.stateDir, 'contextmd.sqlite')} with the log and the state of ContextMD inside the host`]
  if (isDataGone) return sentence([...own, ...inside])
  const isBeside = host === null || existsSync(paths.state)
  return sentence([...own, isBeside ? `${paths.data} with the log and the state` : paths.data, ...inside])
}

function sentence(things: readonly string[]): string {
  return `Left as they are: ${things.slice(0, -1).join(', ')} and ${things.at(-1)}.`
}
