/** What setup does differently for a server beside and for ContextMD inside a host. */
import { forgetHostToken, readHostToken, type HostToken } from '../install/host-token.ts'
import { issueHookToken } from '../install/hook-token.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { findServer, PATIENT_PROOF_MS, portOf } from '../service/find.ts'
import { wordOf } from '../service/inside-host.ts'
import { stopServer } from '../service/stop.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { fixedHarnesses, putToken } from './setup-put-token.ts'
import { chooseSide, takeSide, type Side } from './setup-inside.ts'
import type { Asked, SetupOptions } from './setup-options.ts'
import { revokeLine } from './setup-revoke.ts'
import { tellStart } from './setup-start.ts'

const NEXT = `
Next:
  1. start your agent anew in the host and ask it for a commit: it is held until it has the rule on commit messages
  2. contextmd log shows what was served and whether the model got it; contextmd doctor looks whether all is connected
`

/** What the setups of the harnesses are told. Inside a host the next steps are others, and are said at the end. */
export function forSide<Options extends SetupOptions>(options: Options, side: Side): Options {
  return side.kind === 'beside' ? { ...options, inside: null } : { ...options, inside: side.token, isOneOfMany: true }
}

/** Before the harnesses are set up: all hooks that stand show the host's token at once, also where a setup fails afterwards or was broken off before. */
export function moveTokens(side: Side, io: Io): void {
  if (side.kind === 'inside') putInside(side.token, io)
}

/** Once the harnesses are set up: what else is to be done, and whether hooks start a server. */
export async function settleSide(side: Side, options: Asked<SetupOptions>, io: Io): Promise<void> {
  if (side.kind === 'inside') {
    if (side.isNew) tellFixed(io, options)
    // also where an earlier setup was broken off in the middle
    await giveWay(pathsFrom(io.env), io)
    // the plugin has next steps of its own
    if (side.isNew && options.plugin !== true) io.stdout.write(NEXT)
    // the host starts its server, and one beside would go first
    return tellStart(false, io, true)
  }
  if (side.left === null) return tellStart(options.autostart ?? null, io)
  putBeside(side.left, io)
  tellFixed(io, options)
  io.stdout.write(`Hooks post to a server beside the host. ${revokeLine(side.left, io)}\n`)
  tellStart(options.autostart ?? (side.left.hooksStarted ? true : null), io)
  // last of all: while it is kept, a setup that was broken off can be run again, and says the same
  forgetHostToken(pathsFrom(io.env).data)
}

/** A host that serves nothing is told. A server beside goes before the host. One that hooks have started is ended; any other is its person's to end. */
async function giveWay(paths: Paths, io: Io): Promise<void> {
  const found = await findServer(paths, PATIENT_PROOF_MS)
  if (found.state !== 'ours') return
  if (found.file.startedAs === 'host') {
    if ((await wordOf(portOf(found.file))) === 'disabled')
      io.stderr.write('Note: ContextMD inside the host is disabled now and serves nothing: contextmd health says why\n')
    return
  }
  if (found.file.startedAs === 'background' && (await stopServer(paths, found.file))) {
    io.stdout.write('The server in the background is ended: the host serves.\n')
    return
  }
  const { address, pid } = found.file
  io.stdout.write(`Note: a server beside runs at ${address} (process ${pid}), and hooks post there until it ends: contextmd service stop\n`)
}

/** Renews the token of the host that hooks post into, where it is near its end or refused. Throws a `CommandError`. */
export async function renewKept(io: Io): Promise<void> {
  if (readHostToken(pathsFrom(io.env).data) === null) return
  const host = { inside: null, base: null, program: null, readsCredential: false }
  const options = { dryRun: false, yes: true, host }
  moveTokens(await takeSide(await chooseSide(options, io), options, io), io)
}

function putInside({ token }: HostToken, io: Io): void {
  putToken(
    pathsFrom(io.env),
    (shown) => shown !== token,
    () => token,
  )
}

function putBeside({ token }: HostToken, io: Io): void {
  const paths = pathsFrom(io.env)
  const own = openTokens(paths.tokens, { now: () => Date.now() })
  putToken(
    paths,
    (shown) => shown === token,
    (harness) => issueHookToken(own, harness),
  )
}

function tellFixed(io: Io, { harness }: Asked<SetupOptions>): void {
  if (harness === null) return
  for (const other of fixedHarnesses(pathsFrom(io.env), harness))
    io.stdout.write(`Note: the settings of ${other} hold a port and a token themselves: contextmd setup ${other}\n`)
}
