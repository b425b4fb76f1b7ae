/** How a token of the host is ended in the host: nobody but the person can, with the host's own program. */
import { hostBases, isSameFolder } from '../host/t3code/discover.ts'
import { quoted } from '../install/hook.ts'
import type { HostToken } from '../install/host-token.ts'
import { homeFrom } from '../paths.ts'
import type { Io } from './command.ts'

/** Of the token that is forgotten here. */
export function revokeLine(left: HostToken, io: Io): string {
  return `The host's token is forgotten here; to end it in the host as well: ${revokeCommand(left, io)}`
}

/** Of the token that another one replaces. */
export function replacedLine(left: HostToken, io: Io): string {
  return `The token that hooks showed until now, of the host of ${left.base}, is no longer used; to end it in the host as well: ${revokeCommand(left, io)}`
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** All that setup has got bear one label: the day tells them apart. */
function revokeCommand({ session, issuedAt, base }: HostToken, io: Io): string {
  const which = session ?? `ID ("t3 auth session list" shows it, labelled contextmd, of ${dateOf(issuedAt)})`
  const usual = hostBases(null, io.env, homeFrom(io.env))[0] ?? ''
  return `t3 auth session revoke ${which}${isSameFolder(base, usual) ? '' : ` --base-dir ${quoted(base)}`}`
}
