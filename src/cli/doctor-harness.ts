/** Gathers what doctor's checks are told of one harness. Changes nothing; asks the programs themselves for version and trust. */
import { existsSync } from 'node:fs'
import type { HarnessName } from '../core/id.ts'
import type { HarnessFacts, ProbeFacts, SetupFacts, TokenFacts, TrustFacts } from '../doctor/facts.ts'
import { exposed, settingsFiles } from '../doctor/exposed.ts'
import { otherHooks } from '../doctor/other-hooks.ts'
import { probeHooks } from '../doctor/probe-hook.ts'
import { probePlugin } from '../doctor/probe-plugin.ts'
import { runProcess } from '../doctor/probe-process.ts'
import { unreadable } from '../doctor/readable.ts'
import { HARNESSES } from '../harness/all.ts'
import { pluginHooks, pluginHooksFile } from '../harness/claude-code/install-plugin.ts'
import { findProgram } from '../install/find-program.ts'
import { harnessPlaces, type HarnessPlace } from '../install/harness-places.ts'
import { tokenInHookFiles } from '../install/hook-scripts.ts'
import { HOOK_SCOPE } from '../install/hook-token.ts'
import { InstallError } from '../install/install-error.ts'
import { pathsFrom } from '../paths.ts'
import type { Tokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { examineAgents } from './doctor-agents.ts'
import { askTrust } from './doctor-trust.ts'
import { isEnabled } from './setup-claude-plugin.ts'
import { loadSetup, type Known, type Looked } from './setup-harness.ts'
import { placeOf } from './setup-options.ts'
import { foldersToRead } from './store-folders.ts'

/** A program that has been started a thousand times tells its version in two seconds at most, also on a busy machine. */
const VERSION_LIMIT_MS = 20_000

export interface Examination {
  readonly io: Io
  /** Where the person stands. */
  readonly folder: string
  readonly tokens: Tokens
  /** Our server has proven itself on this port. */
  readonly isOurs: (port: number) => Promise<boolean>
  /** No test moments are sent: there is no server. */
  readonly isServerThere: boolean
  /** Missed moments by harness and cause; null: the server could not be asked. */
  readonly missed: Readonly<Record<string, Readonly<Record<string, number>>>> | null
}

export async function examine(harness: HarnessName, at: Examination): Promise<HarnessFacts | null> {
  const { io, folder } = at
  const paths = pathsFrom(io.env)
  const { home, project } = placeOf(io.env, folder)
  const place = harnessPlaces(io.env, home, folder).find((one) => one.harness === harness)
  const profile = HARNESSES.find((one) => one.profile.name === harness)?.profile
  if (place === undefined || profile === undefined) return null
  const program = programOf(place, io.env)
  const looked = await lookAt(harness, at)
  const layers = { folder: place.folder, project, home }
  const isThere = looked.some(({ facts }) => facts.isThere)
  const agents = await examineAgents(harness, io, folder)
  const isSetUp = isThere || agents.length > 0 || looked.some(({ facts }) => facts.isRecorded)
  if (program === null && !isSetUp && !existsSync(place.folder)) return null
  return {
    harness,
    profile,
    program,
    version: program === null ? null : await versionOf(program, io.env, folder),
    setups: looked.map(({ facts }) => facts),
    agents,
    others: isThere ? otherHooks(harness, layers) : [],
    trust: await trustOf(harness, looked, program, at),
    probes: at.isServerThere ? await probesOf(harness, looked, at) : [],
    missed: at.missed === null ? null : (at.missed[harness] ?? {}),
    exposed: exposed([...looked.map(({ facts }) => facts.file), ...settingsFiles(harness, layers)], at.tokens),
    unreadable: unreadable(harness, layers, foldersToRead(paths, home)),
  }
}

interface Seen {
  readonly facts: SetupFacts
  readonly looked: Looked | null
}

/** The person's own settings, this project's, those of the records, and the plugin. */
async function lookAt(harness: HarnessName, at: Examination): Promise<readonly Seen[]> {
  const { io, folder } = at
  const setup = await loadSetup(harness)
  const recorded = setup.known(io)
  const user: Known = { scope: 'user', project: null, file: null }
  const here: Known = { scope: 'project', project: placeOf(io.env, folder).project, file: null }
  // by place: the records may know several homes of the person
  const all = [...recorded, user, here].filter(
    ({ scope, project }, index, them) => them.findIndex((one) => one.scope === scope && one.project === project) === index,
  )
  const seen = all.map((known): Seen => {
    try {
      const looked = setup.look({ scope: known.scope }, io, known.project ?? folder)
      const isRecorded = recorded.some(({ file }) => file === looked.file)
      return { facts: factsOf(known, looked, isRecorded, at), looked }
    } catch (error) {
      if (!(error instanceof InstallError)) throw error
      return { facts: brokenFacts(known, error.message), looked: null }
    }
  })
  // who stands in the home has one file for both scopes
  const once = seen.filter(({ facts }, at) => facts.file === '' || seen.findIndex((one) => one.facts.file === facts.file) === at)
  const plugin = harness === 'claude-code' ? pluginFacts(at) : null
  return plugin === null ? once : [...once, plugin]
}

function factsOf({ scope, project }: Known, looked: Looked, isRecorded: boolean, { tokens }: Examination): SetupFacts {
  const { file, isThere, stale, port, isFixed, obstacles } = looked
  const token = tokenFacts(looked.token, tokens)
  return { way: scope, project, file, isThere, isRecorded, stale, port, isFixed, token, obstacles: isThere ? obstacles : [], error: null }
}

function brokenFacts({ scope, project }: Known, error: string): SetupFacts {
  const nothing = { isThere: false, stale: [], port: 0, isFixed: false, token: { state: 'none' }, obstacles: [] } as const
  return { ...nothing, way: scope, project, file: '', isRecorded: false, error }
}

/** Null where the plugin is not switched on in Claude Code. */
function pluginFacts({ io, tokens }: Examination): Seen | null {
  const paths = pathsFrom(io.env)
  if (!isEnabled(io)) return null
  const hooks = pluginHooks(paths.data)
  const token = tokenInHookFiles(paths.hooks)
  const file = pluginHooksFile(paths.data)
  const facts: SetupFacts = {
    way: 'plugin',
    project: null,
    file,
    isThere: hooks.length > 0,
    isRecorded: true,
    stale: [],
    port: 0,
    isFixed: false,
    token: tokenFacts(token, tokens),
    obstacles: [],
    error: null,
  }
  return { facts, looked: { file, isThere: hooks.length > 0, stale: [], port: 0, isFixed: false, token, hooks, obstacles: [] } }
}

function tokenFacts(token: string | null, tokens: Tokens): TokenFacts {
  if (token === null) return { state: 'none' }
  return { state: tokens.check(token, HOOK_SCOPE), expiresAt: tokens.describe(token)?.expiresAt ?? null }
}

function programOf({ programs }: HarnessPlace, env: NodeJS.ProcessEnv): string | null {
  return programs.map((name) => findProgram(name, env['PATH'])).find((file) => file !== null) ?? null
}

async function versionOf(program: string, env: NodeJS.ProcessEnv, folder: string): Promise<string | null> {
  const ended = await runProcess({ program, args: ['--version'], env, folder, input: '', limitMs: VERSION_LIMIT_MS })
  return ended.state === 'ended' && ended.exitCode === 0 ? (/\d+\.\d+\.\d+[\w.-]*/.exec(ended.stdout)?.[0] ?? null) : null
}

async function trustOf(
  harness: HarnessName,
  seen: readonly Seen[],
  program: string | null,
  { io, folder }: Examination,
): Promise<TrustFacts | null> {
  const setup = seen.find(({ facts }) => facts.isThere)?.facts
  if (harness !== 'codex' || setup === undefined) return null
  if (program === null) return { state: 'unknown', why: 'its program was not found on the PATH' }
  return await askTrust({ program, env: io.env, file: setup.file, folder: setup.project ?? folder })
}

async function probesOf(harness: HarnessName, seen: readonly Seen[], { io, folder, isOurs }: Examination): Promise<readonly ProbeFacts[]> {
  const probes: ProbeFacts[] = []
  const tried = new Set<string>()
  for (const { facts, looked } of seen) {
    if (looked === null || !looked.isThere) continue
    if (facts.way === 'project' && facts.stale.some((part) => part !== 'scripts')) {
      // a cloned repository may have brought them: nothing of it is run from here but what setup itself would write there
      probes.push({ way: 'hooks', events: [], outcome: { state: 'skipped', why: 'they are not as setup writes them' } })
      continue
    }
    if (facts.token.state !== 'ok') {
      // the server would count it as an agent that is served nothing
      probes.push({ way: 'hooks', events: [], outcome: { state: 'skipped', why: 'their token is not good' } })
      continue
    }
    if (harness === 'opencode') {
      probes.push(await probePlugin(looked.file, io.env, folder))
      continue
    }
    // the same hooks in two places are tried once
    const key = JSON.stringify(looked.hooks)
    if (tried.has(key)) continue
    tried.add(key)
    probes.push(...(await probeHooks(looked.hooks, { harness, env: io.env, folder, isOurs })))
  }
  return probes
}
