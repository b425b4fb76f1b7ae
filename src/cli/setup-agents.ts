/** `contextmd setup HARNESS --mcp`: our endpoint for agents among the harness's own MCP servers. No hook is touched. */
import { join } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import { serverLines } from '../install/agent-edit.ts'
import { applyAgents, planAgents, type AgentPlan } from '../install/agent-install.ts'
import { isOfSameEntry, keepAgentRecord, readAgentRecords, type AgentRecord } from '../install/agent-record.ts'
import type { AgentLayers, AgentPlace, AgentServer, AgentWish } from '../install/agent-server.ts'
import { agentTokenFile, goodAgentToken, issueAgentToken } from '../install/agent-token.ts'
import { gitStanding } from '../install/git.ts'
import { harnessPlaces } from '../install/harness-places.ts'
import { readHostToken } from '../install/host-token.ts'
import { renewHookToken } from '../install/hook-token.ts'
import { InstallError } from '../install/install-error.ts'
import { backupOf } from '../install/settings-file.ts'
import type { SetupScope } from '../install/install.ts'
import { DEFAULT_PORT, pathsFrom, type Paths } from '../paths.ts'
import { openTokens, type Tokens } from '../state/tokens.ts'
import { CommandError, type Io } from './command.ts'
import { agentDiff } from './agent-diff.ts'
import { placeOf, type SetupOptions } from './setup-options.ts'

interface AgentSettings {
  /** Null: this scope has no place that is private. */
  agentPlace(scope: SetupScope, layers: AgentLayers): AgentPlace | null
  agentServer(wish: AgentWish): AgentServer
}

const SETTINGS: Readonly<Record<HarnessName, () => Promise<AgentSettings>>> = {
  'claude-code': () => import('../harness/claude-code/agent-server.ts'),
  codex: () => import('../harness/codex/agent-server.ts'),
  grok: () => import('../harness/grok/agent-server.ts'),
  opencode: () => import('../harness/opencode/agent-server.ts'),
}

/** Stands for a token that is not issued yet. */
const NO_TOKEN = 'TOKEN'
const OTHERS_MAY_READ = 0o044

type Asked = Pick<SetupOptions, 'scope' | 'port' | 'dryRun'>

/** `folder`: where the person stands. Gives the exit code. Throws an `InstallError` or a `CommandError`. */
export async function setUpAgents(harness: HarnessName, { scope, port, dryRun }: Asked, io: Io, folder: string): Promise<number> {
  refuseInside(io)
  const draft = await planFor(harness, scope, port, io, folder)
  const { paths, tokens, title, goodToken } = draft
  refuseCommitted(draft, io)
  const isChange = draft.plan.isChange || goodToken === null
  if (dryRun) {
    io.stdout.write(lines(dryRunLines(draft, isChange)))
    return 0
  }
  const token = goodToken ?? issueAgentToken(tokens, paths.data, harness)
  renewHookToken(tokens, token, Date.now())
  const { plan, record: before } = goodToken === null ? await planFor(harness, scope, port, io, folder) : draft
  const about = { harness, scope, project: scope === 'project' ? placeOf(io.env, folder).project : null }
  const kept = applyAgents(plan, before, about, readAgentRecords(paths.data))
  keepAgentRecord(paths.data, kept)
  io.stdout.write(
    lines(isChange ? doneLines(draft, plan, kept) : [`Nothing to do: agents of ${title} have our endpoint in ${plan.place.file}.`]),
  )
  return 0
}

/** A host takes its own tokens only, and its port changes. */
function refuseInside({ env }: Io): void {
  const host = readHostToken(pathsFrom(env).data)
  if (host === null) return
  throw new CommandError(
    'failed',
    `hooks are set up for the host of ${host.base}, and agents can't reach our endpoint inside a host yet: --mcp needs a server beside (contextmd setup --no-inside)`,
  )
}

/** Settings that name the file of the token may be committed. Throws an `InstallError`. */
function refuseCommitted({ plan: { file, text }, wish }: AgentDraft, io: Io): void {
  if (text.includes(`{file:${wish.tokenFile}}`) || !gitStanding(file.target, io.env).tracked) return
  throw new InstallError('tracked', `${file.path} is committed with git, and a token must not be. Nothing was changed`)
}

export interface AgentDraft {
  readonly paths: Paths
  readonly tokens: Tokens
  /** Of the harness. */
  readonly title: string
  readonly wish: AgentWish
  readonly plan: AgentPlan
  /** The lines of our entry. */
  readonly ours: readonly string[]
  readonly record: AgentRecord | null
  /** Null: a new one is issued. */
  readonly goodToken: string | null
}

/** What a setup would do here; writes nothing. `port` null: as it is set up already, else the default. Throws an `InstallError`. */
export async function planFor(harness: HarnessName, scope: SetupScope, port: number | null, io: Io, folder: string): Promise<AgentDraft> {
  const paths = pathsFrom(io.env)
  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const { agentServer } = await SETTINGS[harness]()
  const { place, title } = await agentPlaceOf(harness, scope, io, folder)
  if (place === null)
    throw new CommandError(
      'usage',
      `${title} keeps MCP servers of a project in a file that is committed, and ours has a token: leave --scope out`,
    )
  const record = readAgentRecords(paths.data).find((one) => isOfSameEntry(one, place)) ?? null
  const goodToken = goodAgentToken(tokens, paths.data, harness)
  const wish = (at: number): AgentWish => ({ port: at, token: goodToken ?? NO_TOKEN, tokenFile: agentTokenFile(paths.data, harness) })
  const there = planAgents(place, agentServer(wish(port ?? DEFAULT_PORT)), record)
  // without a word about it the port stays
  const wished = wish(port ?? there.port ?? DEFAULT_PORT)
  const server = agentServer(wished)
  return {
    paths,
    tokens,
    title,
    wish: wished,
    plan: planAgents(place, server, record),
    ours: serverLines(place, server),
    record,
    goodToken,
  }
}

export async function agentPlaceOf(
  harness: HarnessName,
  scope: SetupScope,
  io: Io,
  folder: string,
): Promise<{ readonly place: AgentPlace | null; readonly title: string }> {
  const { home, project } = placeOf(io.env, folder)
  const found = harnessPlaces(io.env, home, folder).find((one) => one.harness === harness)
  if (found === undefined) throw new CommandError('usage', `there is no harness ${harness}`)
  const { agentPlace } = await SETTINGS[harness]()
  const isFolderNamed = found.folder !== join(home, '.claude')
  return { place: agentPlace(scope, { folder: found.folder, isFolderNamed, home, project }), title: found.title }
}

function dryRunLines({ plan, paths, title, goodToken, wish, ours }: AgentDraft, isChange: boolean): readonly string[] {
  if (!isChange) return [`Nothing would change: agents of ${title} have our endpoint.`]
  return [
    ...(plan.isChange ? [agentDiff(plan, ours), ''] : []),
    ...(goodToken === null ? [`Would also issue a token that searches and reads entries and does nothing else: ${wish.tokenFile}`] : []),
    ...noteOn(plan, paths),
    'Nothing was written.',
  ]
}

function doneLines({ title, paths, wish }: AgentDraft, plan: AgentPlan, { before }: AgentRecord): readonly string[] {
  const { place } = plan
  const isBackedUp = plan.port === null && before.kind === 'backup'
  return [
    `Agents of ${title} can search and read entries by tools of ours (port ${wish.port}).`,
    `  settings  ${place.file}, ${place.keys.join('.')}${isBackedUp ? `  (as it was: ${backupOf(place.file)})` : ''}`,
    `  token     ${wish.tokenFile}: it searches and reads entries and does nothing else`,
    ...noteOn(plan, paths),
    '',
    `Start ${title} anew. The server must run: contextmd serve, or contextmd service install. contextmd doctor looks at it.`,
  ]
}

function noteOn({ file, text }: AgentPlan, { data }: Paths): readonly string[] {
  if (file.text === null || (file.mode & OTHERS_MAY_READ) === 0 || text.includes(`{file:${data}`)) return []
  return [`Note: others on this machine may be able to read ${file.path}, which holds a token: "contextmd doctor --fix" keeps it to you.`]
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`
}
