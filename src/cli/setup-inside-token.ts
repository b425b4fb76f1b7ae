/** Gets a token of a host with ContextMD inside, for hooks: by the host's own program, or by a credential that a person has made. */
import { basename, resolve } from 'node:path'
import { createCredential, credentialIn, isCredential, type Credential } from '../service/host-credential.ts'
import { exchange, HOST_SCOPE, type Exchanged } from '../service/host-exchange.ts'
import type { InsideHost } from '../service/inside-host.ts'
import { CommandError, type Io } from './command.ts'
import type { HostWish } from './setup-options.ts'

export interface TokenWish {
  readonly host: InsideHost
  readonly wish: HostWish
  /** False where the host's program takes this base folder by itself. */
  readonly needsBase: boolean
  readonly io: Io
}

/** Not asked about yet: it is to be kept before anything else, or nobody knows its name. Throws a `CommandError` that says what to do where there is none to be had. */
export async function newHostToken(asked: TokenWish): Promise<Extract<Exchanged, { readonly state: 'given' }>> {
  const { host } = asked
  const given = await exchange(host.port, await credentialFor(asked), () => Date.now())
  if (given.state !== 'given') throw new CommandError('failed', refusal(given, host))
  return given
}

async function credentialFor({ host, wish, needsBase, io }: TokenWish): Promise<string> {
  if (wish.readsCredential) {
    const credential = credentialFrom((await io.input?.()) ?? '')
    if (credential !== null) return credential
    throw new CommandError('failed', 'the standard input held no credential: t3 auth pairing create --json gives one')
  }
  const named = wish.program ?? (io.env['CONTEXTMD_T3'] || null)
  const why = await orWhy(host, { named, needsBase, io })
  if (typeof why !== 'string') return why.credential
  if (io.ask === undefined)
    throw new CommandError(
      'failed',
      `${why}. Make a credential with the host's own program (t3 auth pairing create --json) and hand it over: contextmd setup --inside --credential-stdin < FILE. For a server beside the host: --no-inside`,
    )
  io.stderr.write(`${why}.\n`)
  const question = 'A pairing credential of the host, good once ("t3 auth pairing create --json" makes one): '
  const credential = credentialFrom(await io.ask(question))
  if (credential === null) throw new CommandError('failed', 'without a credential there is no token: nothing was set up')
  return credential
}

/** As a person hands it over: alone, or as the program prints it. Null for what is none. */
function credentialFrom(text: string): string | null {
  const alone = text.trim()
  return credentialIn(alone) ?? (isCredential(alone) ? alone : null)
}

interface Program {
  readonly named: string | null
  readonly needsBase: boolean
  readonly io: Io
}

/** The credential, or a sentence that says why there is none. */
async function orWhy(host: InsideHost, { named, needsBase, io }: Program): Promise<{ readonly credential: string } | string> {
  // the program knows such a folder only by the address of its web page, which nobody tells us
  if (basename(host.stateDir) === 'dev')
    return `the host of ${host.stateDir} was started for work on itself, and its program can't be asked for it`
  const path = named !== null && named.includes('/') ? resolve(named) : named
  const created = await createCredential(host, { named: path, needsBase, env: io.env })
  return created.state === 'given' ? created : whyNot(created)
}

function whyNot(created: Exclude<Credential, { readonly state: 'given' }>): string {
  switch (created.state) {
    case 'missing':
      return `the host's program "${created.name}" is not on the PATH (--t3-program or CONTEXTMD_T3 names another)`
    case 'other-version':
      return `${created.program} is of version ${created.version}, and the host that runs of ${created.hostVersion}: it would bring the host's database to its own form, so it was not asked`
    case 'failed':
      return `${created.program} auth pairing create failed: ${created.why}`
    default:
      return created satisfies never
  }
}

/** Of a token that is kept nowhere. */
export function endLine({ session }: { readonly session: string | null }): string {
  return `End it: t3 auth session revoke ${session ?? 'ID (t3 auth session list shows it)'}`
}

function refusal(given: Exclude<Exchanged, { readonly state: 'given' }>, { port }: InsideHost): string {
  switch (given.state) {
    case 'refused':
      return `the host refused the credential (${given.why}): it is good once and not for long. Run this again with a new one`
    case 'too-wide':
      return `the host gave a token for "${given.scope}" where only ${HOST_SCOPE} was asked for: it is not kept. ${endLine(given)}`
    case 'silent':
      return `the host at port ${port} did not answer when it was asked for a token. Try again`
    case 'unknown-form':
      return `the host at port ${port} answers a request for a token in a form that is not known here (status ${given.status}): update ContextMD`
    default:
      return given satisfies never
  }
}
