/** Why hooks do not post into this host although ContextMD is in it, for health. */
import type { Problem } from '../../core/problem.ts'
import type { ServerFile } from '../../server/server-file.ts'

/** `named`: a server of ours that lives and goes first. */
export function otherProblem({ address, pid, startedAs }: ServerFile): Problem {
  const isHost = startedAs === 'host'
  const what = isHost ? `ContextMD inside another host (process ${pid})` : `a server beside this host (process ${pid})`
  return {
    code: 'server_beside',
    severity: 'warning',
    message: `Hooks post to ${what} at ${address}, and not here: that one goes first.`,
    cure: isHost
      ? 'Choose the host that hooks belong to: `contextmd setup --inside --base DIR`. Where agents run in several hosts, use one server beside them.'
      : 'To have this host serve: `contextmd service stop` (or end it where it runs), then `contextmd setup --inside`. To keep that one: take ContextMD out of this host.',
  }
}

export const NOT_CHOSEN: Problem = {
  code: 'host_not_chosen',
  severity: 'info',
  message: 'Hooks belong to another host that has ContextMD inside, as `contextmd setup` was told.',
  cure: 'To have them post here: `contextmd setup --inside --base DIR`, with the base folder of this host.',
}

export const BESIDE_CHOSEN: Problem = {
  code: 'host_not_chosen',
  severity: 'info',
  message: 'Hooks are set up for a server beside this host, and post there.',
  cure: 'To have them post here: `contextmd setup --inside`. To keep it so, nothing needs to be done.',
}

export const UNWRITABLE: Problem = {
  code: 'address_untold',
  severity: 'warning',
  message: 'The address could not be written into your data folder, so hooks do not find ContextMD here.',
  cure: 'Give yourself the right to write in ~/.local/share/contextmd (or CONTEXTMD_DATA); it is tried again within seconds.',
}
