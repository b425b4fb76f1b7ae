/** How Codex's hooks reach the server, and why: by a command, or by a call of our tool. */
import { existsSync } from 'node:fs'
import { managerOf } from '../service/manager.ts'
import { CommandError, type Io } from './command.ts'
import type { SetupOptions } from './setup-options.ts'

export type Way = 'command' | 'mcp'

export interface Chosen {
  readonly way: Way
  /** One sentence for the person. */
  readonly why: string
}

/**
 * A call of our tool costs a millisecond where a command costs 20 to 40. But Codex connects when a session starts: if the server is down
 * at that moment, every hook of that session is lost, and no hook can start it. So that way is for those who keep the server running.
 *
 * `before`: as it is set up already. `isInside`: hooks post into a host, whose port and token change; Codex would keep both in its settings.
 */
export function chooseWay(
  { transport, scope }: Pick<SetupOptions, 'transport' | 'scope'>,
  before: Way | null,
  io: Io,
  isInside = false,
): Chosen {
  if (transport === 'http')
    throw new CommandError('usage', 'Codex has no http hooks: its hooks are commands, or calls of a tool (--transport mcp)')
  if (transport === 'mcp' && scope === 'project')
    throw new CommandError('usage', "--transport mcp is for your own settings: in a project's files a token and a key would be committed")
  if (transport === 'mcp' && isInside)
    throw new CommandError(
      'usage',
      'hooks that post into a host are commands: with --transport mcp Codex holds one port and one token, and a host changes both',
    )
  if (isInside) return { way: 'command', why: 'commands: they find the host on whatever port it is, with the token that it takes now' }
  if (transport === 'mcp') return { way: 'mcp', why: MCP }
  if (transport === 'command') return { way: 'command', why: 'commands, as you asked' }
  if (before !== null) return { way: before, why: before === 'mcp' ? MCP : 'commands, as before' }
  if (scope === 'user' && isServiceInstalled(io)) return { way: 'mcp', why: MCP }
  return {
    way: 'command',
    why: 'commands: they start the server when it is not running. With "contextmd service install" a faster way is taken',
  }
}

const MCP = 'calls of a tool, without a process each: the server must run when a session starts ("contextmd service install" sees to it)'

function isServiceInstalled({ env }: Io): boolean {
  const manager = managerOf(process.platform, env)
  return manager !== null && existsSync(manager.file)
}
