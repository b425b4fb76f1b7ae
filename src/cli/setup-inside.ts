/**
 * Which server hooks are set up for: one beside, or ContextMD inside a host. For the latter the host's token is got, renewed in its last
 * days, and kept.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hostSettingIn } from '../engine/host-setting.ts'
import { hostBases, isSameFolder } from '../host/t3code/discover.ts'
import { forgetHostToken, keepHostToken, readHostToken, type HostToken } from '../install/host-token.ts'
import { homeFrom, pathsFrom, type Paths } from '../paths.ts'
import { setUpAddresses } from '../service/addresses.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { checkHostToken } from '../service/host-exchange.ts'
import { insideOf, lookAtHosts, type InsideHost, type LookedAtHost } from '../service/inside-host.ts'
import { readStartFile } from '../service/start-file.ts'
import { CommandError, type Io } from './command.ts'
import { NO_TOKEN } from './setup-hook-file.ts'
import { endLine, newHostToken } from './setup-inside-token.ts'
import { dateOf, replacedLine } from './setup-revoke.ts'
import type { Asked, HostWish, SetupOptions } from './setup-options.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** With fewer left a new one is got: doctor and health warn from then on. */
const RENEW_DAYS = 7

export type Side =
  /** `left`: the token of the host that hooks posted into until now. */
  | { readonly kind: 'beside'; readonly left: HostToken | null }
  /** `isNew`: it is to be handed to all hooks. */
  | { readonly kind: 'inside'; readonly token: HostToken; readonly isNew: boolean }

/** What is to be done, before anything is. */
export type Choice =
  | Side
  /** A token is to be got from the host. `kept`: the one that hooks show until now, of this host or of another. */
  | { readonly kind: 'new-token'; readonly host: InsideHost; readonly kept: HostToken | null }

export type SideOptions = Pick<Asked<SetupOptions>, 'dryRun' | 'yes'> & { readonly host: HostWish }

/** Changes nothing. Throws a `CommandError` where a host is asked for and can't be had. */
export async function chooseSide(options: SideOptions, io: Io): Promise<Choice> {
  const { host: wish } = options
  const paths = pathsFrom(io.env)
  const kept = readHostToken(paths.data)
  if (wish.inside === false) return { kind: 'beside', left: kept }
  if (wish.inside === null && kept === null) {
    const found = await unasked(options, paths, io)
    return found === null ? { kind: 'beside', left: null } : { kind: 'new-token', host: found, kept: null }
  }
  const bases = wish.base === null && kept !== null && wish.inside === null ? [kept.base] : basesOf(wish, io)
  const looked = await lookAtHosts(bases, paths)
  const hosts = insideOf(looked)
  const host = hosts.find((one) => isOf(kept, one)) ?? hosts[0] ?? null
  if (host !== null) return await forHost(host, kept)
  if (kept !== null && wish.inside === null && kept.expiresAt > Date.now()) {
    if (isNearEnd(kept))
      io.stderr.write(`Note: the host's token runs out soon, and the host does not run: start it, then run this again.\n`)
    return { kind: 'inside', token: kept, isNew: false }
  }
  throw new CommandError('failed', noHost(bases, looked))
}

/** What was chosen as if it were done, for a trial and for questions. */
export function asTried(choice: Choice, io: Io): Side {
  if (choice.kind !== 'new-token') return choice
  const issuedAt = Date.now()
  const trial = { token: NO_TOKEN, issuedAt, expiresAt: issuedAt + 30 * DAY_MS, session: null }
  return { kind: 'inside', token: { ...commonOf(choice, io), ...trial }, isNew: true }
}

/** Gets the token of the host, keeps it, and only then asks the host whether it is good. Throws a `CommandError` where there is none to be had. */
export async function takeSide(choice: Choice, options: SideOptions, io: Io): Promise<Side> {
  if (choice.kind !== 'new-token') return choice
  const { host, kept } = choice
  const needsBase = !isSameFolder(host.base, hostBases(null, io.env, homeIn(io))[0] ?? '')
  const { token, expiresAt, session } = await newHostToken({ host, wish: options.host, needsBase, io })
  const got: HostToken = { ...commonOf(choice, io), issuedAt: Date.now(), token, expiresAt, session }
  const { data } = pathsFrom(io.env)
  // told before it is written over: a command that is broken off here must not lose its name
  const isOver = kept === null || kept.expiresAt <= Date.now()
  if (!isOver) io.stdout.write(`${replacedLine(kept, io)}\n`)
  try {
    keepHostToken(data, got)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError('failed', `the host's token could not be kept (${why}). ${endLine(got)}`, { cause })
  }
  // takes seconds: a command that is broken off here has kept it, and the next run uses it, or names it
  if ((await checkHostToken(host.port, token)) === 'refused') {
    if (kept === null) forgetHostToken(data)
    else keepHostToken(data, kept)
    const still = isOver ? '' : ', and the token before it is still the one that is kept'
    throw new CommandError(
      'failed',
      `the host at port ${host.port} gave a token and then refused it: nothing was set up${still}. ${endLine(got)}`,
    )
  }
  io.stdout.write(`A token of the host at http://127.0.0.1:${host.port} is kept: it only reads, and is good until ${dateOf(expiresAt)}.\n`)
  return { kind: 'inside', token: got, isNew: true }
}

/** A host that nobody named, where nothing is set up yet and no server beside runs. Null: a server beside it is. */
async function unasked({ dryRun, yes }: SideOptions, paths: Paths, io: Io): Promise<InsideHost | null> {
  const setting = hostSettingIn(paths, io.env, () => Date.now())()
  if (setting.kind === 'standalone') return null
  const server = await findServer(paths, PATIENT_PROOF_MS)
  const isBeside = server.state === 'ours' && server.file.startedAs !== 'host'
  const looked = await lookAtHosts(hostBases(setting.base, io.env, homeIn(io)), paths)
  const hosts = insideOf(looked)
  const host = hosts.find(({ pid }) => server.state === 'ours' && pid === server.file.pid) ?? hosts[0]
  if (host === undefined) {
    const disabled = looked.find((one) => one.state === 'disabled')
    if (disabled !== undefined) io.stderr.write(`Note: ${disabledHost(disabled.port)}.\n`)
    return null
  }
  if (isBeside || setUpAddresses(paths).length > 0) {
    io.stderr.write(`Note: ContextMD is inside the host of ${host.base} too. To have hooks post there: contextmd setup --inside\n`)
    return null
  }
  if (dryRun || yes === true || io.ask === undefined) return host
  const question = `ContextMD is inside the host of ${host.base}. Have hooks post there, with a token of the host that only reads? [Y/n] `
  return /^(y(es)?)?$/i.test((await io.ask(question)).trim()) ? host : null
}

async function forHost(host: InsideHost, kept: HostToken | null): Promise<Choice> {
  if (kept !== null && isOf(kept, host) && !isNearEnd(kept) && (await checkHostToken(host.port, kept.token)) !== 'refused')
    return { kind: 'inside', token: kept, isNew: false }
  return { kind: 'new-token', host, kept }
}

function commonOf({ host, kept }: Extract<Choice, { readonly kind: 'new-token' }>, io: Io) {
  const { base, stateDir, port } = host
  return { base, stateDir, port, hooksStarted: kept?.hooksStarted ?? doHooksStart(pathsFrom(io.env)) }
}

/** By the folder and not by its name: one may be reached by a link. */
function isOf(kept: HostToken | null, { stateDir }: InsideHost): boolean {
  return kept !== null && isSameFolder(kept.stateDir, stateDir)
}

function disabledHost(port: number): string {
  return `ContextMD is inside the host at http://127.0.0.1:${port}, but disabled there: it serves nothing until what keeps it from that is mended. The host's log says what it is, and so does its /contextmd/v1/health with a token of the host (docs/hosts/t3code-inside.md)`
}

function noHost(bases: readonly string[], looked: readonly LookedAtHost[]): string {
  const disabled = looked.find((one) => one.state === 'disabled')
  if (disabled !== undefined) return `${disabledHost(disabled.port)}. Nothing was set up`
  const foreign = looked.find((one) => one.state === 'foreign')
  if (foreign !== undefined)
    return `a ContextMD is inside the host at http://127.0.0.1:${foreign.port}, but it does not show that it is yours: the host was started with another HOME, XDG_DATA_HOME or CONTEXTMD_DATA than this shell has, or by somebody else. Nothing was set up`
  const unproven = looked.find((one) => one.state === 'unproven')
  if (unproven !== undefined)
    return `the host at http://127.0.0.1:${unproven.port} does not show that your ContextMD is inside it: docs/hosts/t3code-inside.md says how it gets there. Nothing was set up`
  const where = bases.join(' and ')
  if (looked.some((one) => one.state === 'gone'))
    return `the host of ${where} has ended without a word, or is just starting: start it, then run this again`
  return `no host runs in ${where}: start it, then run this again (--base DIR names another base folder; --no-inside is for a server beside)`
}

function basesOf({ base }: HostWish, io: Io): readonly string[] {
  const setting = hostSettingIn(pathsFrom(io.env), io.env, () => Date.now())()
  const named = base === null || base.startsWith('~') ? base : resolve(base)
  return hostBases(named ?? (setting.kind === 'standalone' ? null : setting.base), io.env, homeIn(io))
}

function isNearEnd({ expiresAt }: HostToken): boolean {
  return expiresAt - Date.now() <= RENEW_DAYS * DAY_MS
}

/** Before the first setup they would. */
function doHooksStart(paths: Paths): boolean {
  return readStartFile(paths) !== null || !existsSync(join(paths.hooks, 'server.start'))
}

function homeIn({ env }: Io): string {
  return homeFrom(env)
}
