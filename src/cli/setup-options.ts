/** What `setup` and `remove` are asked for, checked. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { homeFrom } from '../paths.ts'
import { checkoutRoot } from '../install/git.ts'
import { HOOK_SECONDS, type Transport } from '../install/hook.ts'
import type { HostToken } from '../install/host-token.ts'
import type { SetupScope } from '../install/install.ts'
import type { HarnessName } from '../core/id.ts'
import { CommandError, type Io } from './command.ts'
import { nearest } from '../stores/nearest.ts'

export const HARNESSES: readonly HarnessName[] = ['claude-code', 'codex', 'grok', 'opencode']
const SCOPES: readonly SetupScope[] = ['user', 'project']
const TRANSPORTS: readonly Transport[] = ['http', 'command', 'mcp']

export interface SetupOptions {
  readonly scope: SetupScope
  /** Null: as it is set up already, else the default. */
  readonly transport: Transport | null
  readonly port: number | null
  readonly dryRun: boolean
  /** Questions are answered with yes. */
  readonly yes?: boolean
  /** Hooks start the server where it does not run; null: as wished before, else they do. */
  readonly autostart?: boolean | null
  /** A plugin folder instead of settings. */
  readonly plugin?: boolean
  /** The host's token with which hooks post into it; null: they post to a server beside. Left out: as setup has kept it. */
  readonly inside?: HostToken | null
  /** Our endpoint for agents instead of hooks. */
  readonly mcp?: boolean
  /** Others are set up beside it: what comes next is said once, at the end. */
  readonly isOneOfMany?: boolean
}

/** What was asked for about a host with ContextMD inside. */
export interface HostWish {
  /** True: hooks post into it; false: to a server beside. Null: as before, else as it is found. */
  readonly inside: boolean | null
  /** The host's base folder; null: the usual ones. */
  readonly base: string | null
  /** The host's program; null: `t3` on the PATH. */
  readonly program: string | null
  /** A pairing credential stands in the standard input. */
  readonly readsCredential: boolean
}

/** What was asked for, and of which harness; null: of all. */
export type Asked<Options> = Options & { readonly harness: HarnessName | null }

export function parseSetupOptions(argv: readonly string[]): Asked<SetupOptions> & { readonly host: HostWish } {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      scope: { type: 'string', default: 'user' },
      transport: { type: 'string' },
      port: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', short: 'y', default: false },
      plugin: { type: 'boolean', default: false },
      mcp: { type: 'boolean', default: false },
      autostart: { type: 'boolean' },
      inside: { type: 'boolean' },
      base: { type: 'string' },
      't3-program': { type: 'string' },
      'credential-stdin': { type: 'boolean', default: false },
    },
    allowPositionals: true,
    allowNegative: true,
  })
  const harness = harnessIn(positionals)
  if (values.transport === 'mcp' && harness !== 'codex')
    throw new CommandError('usage', '--transport mcp is for Codex: contextmd setup codex --transport mcp')
  if (values.plugin && harness !== 'claude-code')
    throw new CommandError('usage', '--plugin is for Claude Code: contextmd setup claude-code --plugin')
  if (values.mcp && harness === null) throw new CommandError('usage', 'name the harness: contextmd setup claude-code --mcp')
  if (values.mcp && (values.plugin || values.transport !== undefined || values.inside === true))
    throw new CommandError('usage', '--mcp writes no hooks: it takes --scope, --port and --dry-run')
  return {
    harness,
    scope: oneOf('--scope', values.scope, SCOPES),
    transport: values.transport === undefined ? null : oneOf('--transport', values.transport, TRANSPORTS),
    port: values.port === undefined ? null : portFrom(values.port),
    dryRun: values['dry-run'],
    yes: values.yes,
    plugin: values.plugin,
    mcp: values.mcp,
    autostart: values.autostart ?? null,
    host: hostWish(values),
  }
}

function hostWish(values: {
  readonly inside?: boolean
  readonly base?: string
  readonly 't3-program'?: string
  readonly 'credential-stdin': boolean
  readonly autostart?: boolean
}): HostWish {
  const { inside, base, 't3-program': program, 'credential-stdin': readsCredential } = values
  const isAsked = inside ?? (base !== undefined || readsCredential ? true : null)
  if (isAsked === false && (base !== undefined || readsCredential))
    throw new CommandError('usage', '--no-inside is for a server beside: it takes neither --base nor --credential-stdin')
  if (isAsked === true && values.autostart === true)
    throw new CommandError('usage', 'a host starts its own server: --autostart is for a server beside (--no-inside)')
  return { inside: isAsked, base: base ?? null, program: program ?? null, readsCredential }
}

export interface RemoveOptions {
  readonly scope: SetupOptions['scope']
  /** State, log, tokens and notes go too. */
  readonly data: boolean
  readonly yes: boolean
}

export function parseRemoveOptions(argv: readonly string[]): Asked<RemoveOptions> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      scope: { type: 'string' },
      data: { type: 'boolean', default: false },
      yes: { type: 'boolean', short: 'y', default: false },
    },
    allowPositionals: true,
  })
  const harness = harnessIn(positionals)
  if (harness === null && values.scope !== undefined) throw new CommandError('usage', 'name the harness that --scope is meant for')
  if (harness !== null && values.data) throw new CommandError('usage', '--data takes away everything: leave the name out')
  return { harness, scope: oneOf('--scope', values.scope ?? 'user', SCOPES), data: values.data, yes: values.yes }
}

export interface Place {
  readonly home: string
  /** Claude Code's own folder: `CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configFolder: string
  /** The root of the checkout, else the folder itself. */
  readonly project: string
}

export function placeOf(env: NodeJS.ProcessEnv, folder: string): Place {
  const home = homeFrom(env)
  return { home, configFolder: resolve(folder, env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')), project: checkoutRoot(folder) ?? folder }
}

/** A hook's limit in seconds. `CONTEXTMD_HOOK_TIMEOUT` gives slow machines, and tests on them, more. */
export function hookSeconds(env: Io['env']): number {
  const text = env['CONTEXTMD_HOOK_TIMEOUT']
  if (!text) return HOOK_SECONDS
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 60) return seconds
  throw new CommandError('usage', `CONTEXTMD_HOOK_TIMEOUT takes seconds, more than 0 and up to 60, not "${text}"`)
}

function harnessIn(words: readonly string[]): HarnessName | null {
  const [harness, ...more] = words
  if (harness === undefined) return null
  if (more.length > 0) throw new CommandError('usage', `"${more[0]}" is one word too many`)
  return oneOf('the harness', harness, HARNESSES)
}

function oneOf<T extends string>(what: string, word: string, words: readonly T[]): T {
  const found = words.find((known) => known === word)
  if (found !== undefined) return found
  const meant = nearest(word, words)
  throw new CommandError('usage', `${what} is one of ${words.join(', ')}, not "${word}"${meant === null ? '' : `: did you mean ${meant}?`}`)
}

function portFrom(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new CommandError('usage', `--port takes a number from 1 to 65535, not "${text}"`)
}
