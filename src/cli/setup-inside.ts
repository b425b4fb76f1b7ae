/**
 * Which server hooks are set up for: one beside, or ContextMD inside a host. For the latter the host's token is got, renewed in its last
 * days, and kept.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { hostSettingIn } from '../engine/host-setting.ts'
import { hostBases } from '../host/t3code/discover.ts'
import { forgetHostToken, keepHostToken, readHostToken, type HostToken } from '../install/host-token.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { setUpAddresses } from '../service/addresses.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { checkHostToken } from '../service/host-exchange.ts'
import { findInsideHosts, lookAtHost, STATE_FOLDERS, type InsideHost, type LookedAtHost } from '../service/inside-host.ts'
import { readStartFile } from '../service/start-file.ts'
import { CommandError, type Io } from './command.ts'
import { NO_TOKEN } from './setup-hook-file.ts'
import { newHostToken } from './setup-inside-token.ts'
import type { Asked, HostWish, SetupOptions } from './setup-options.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** With fewer left a new one is got: doctor and health warn from then on. */
const RENEW_DAYS = 7

export type Side =
  /** `left`: the token of the host that hooks posted into until now. */
  | { readonly kind: 'beside'; readonly left: HostToken | null }
  | { readonly kind: 'inside'; readonly token: HostToken; readonly isNew: boolean }

export type SideOptions = Pick<Asked<SetupOptions>, 'dryRun' | 'yes'> & { readonly host: HostWish }

/** Writes and forgets the kept token, but not in a trial. Throws a `CommandError` where a host is asked for and can't be had. */
export async function chooseSide(options: SideOptions, io: Io): Promise<Side> {
  const { host: wish, dryRun } = options
  const paths = pathsFrom(io.env)
  const kept = readHostToken(paths.data)
  if (wish.inside === false) return { kind: 'beside', left: dryRun ? kept : forgetHostToken(paths.data) }
  if (wish.inside === null && kept === null) {
    const found = await unasked(options, paths, io)
    return found === null ? { kind: 'beside', left: null } : await inside(found, null, options, paths, io)
  }
  const bases = wish.base === null && kept !== null && wish.inside === null ? [kept.base] : basesOf(wish, io)
  const looked = await lookAll(bases, paths)
  const hosts = looked.flatMap((one) => (one.state === 'inside' ? [one.host] : []))
  const host = hosts.find(({ stateDir }) => stateDir === kept?.stateDir) ?? hosts[0] ?? null
  if (host !== null) return await inside(host, kept, options, paths, io)
  if (kept !== null && wish.inside === null && kept.expiresAt > Date.now()) {
    if (isNearEnd(kept))
      io.stderr.write(`Note: the host's token runs out soon, and the host does not run: start it, then run this again.\n`)
    return { kind: 'inside', token: kept, isNew: false }
  }
  throw new CommandError('failed', noHost(bases, looked))
}

/** A host that nobody named, where nothing is set up yet and no server beside runs. Null: a server beside it is. */
async function unasked({ dryRun, yes }: SideOptions, paths: Paths, io: Io): Promise<InsideHost | null> {
  const setting = hostSettingIn(paths, io.env, () => Date.now())()
  if (setting.kind === 'standalone') return null
  const server = await findServer(paths, PATIENT_PROOF_MS)
  const isBeside = server.state === 'ours' && server.file.startedAs !== 'host'
  const hosts = await findInsideHosts(hostBases(setting.base, io.env, homeIn(io)), paths)
  const host = hosts.find(({ pid }) => server.state === 'ours' && pid === server.file.pid) ?? hosts[0]
  if (host === undefined) return null
  if (isBeside || setUpAddresses(paths).length > 0) {
    io.stderr.write(`Note: ContextMD is inside the host of ${host.base} too. To have hooks post there: contextmd setup --inside\n`)
    return null
  }
  if (dryRun || yes === true || io.ask === undefined) return host
  const question = `ContextMD is inside the host of ${host.base}. Have hooks post there, with a token of the host that only reads? [Y/n] `
  return /^(y(es)?)?$/i.test((await io.ask(question)).trim()) ? host : null
}

async function inside(host: InsideHost, kept: HostToken | null, options: SideOptions, paths: Paths, io: Io): Promise<Side> {
  const same = kept?.stateDir === host.stateDir ? kept : null
  if (same !== null && !isNearEnd(same) && (await checkHostToken(host.port, same.token)) !== 'refused')
    return { kind: 'inside', token: same, isNew: false }
  const { base, stateDir, port } = host
  const issuedAt = Date.now()
  const hooksStarted = kept?.hooksStarted ?? doHooksStart(paths)
  const common = { base, stateDir, port, issuedAt, hooksStarted }
  if (options.dryRun) {
    io.stdout.write(`Would get a token that only reads from the host at http://127.0.0.1:${port}.\n`)
    return { kind: 'inside', token: { ...common, token: NO_TOKEN, expiresAt: issuedAt + 30 * DAY_MS, session: null }, isNew: true }
  }
  const needsBase = base !== hostBases(null, io.env, homeIn(io))[0]
  const { token, expiresAt, session } = await newHostToken({ host, wish: options.host, needsBase, io })
  const got: HostToken = { ...common, token, expiresAt, session }
  keepHostToken(paths.data, got)
  io.stdout.write(`A token of the host at http://127.0.0.1:${port} is kept: it only reads, and is good until ${dateOf(expiresAt)}.\n`)
  return { kind: 'inside', token: got, isNew: true }
}

async function lookAll(bases: readonly string[], paths: Paths): Promise<readonly LookedAtHost[]> {
  const looked: LookedAtHost[] = []
  for (const base of bases) for (const name of STATE_FOLDERS) looked.push(await lookAtHost(base, name, paths))
  return looked
}

function noHost(bases: readonly string[], looked: readonly LookedAtHost[]): string {
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
  return env['HOME'] || homedir()
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
