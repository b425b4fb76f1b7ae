/** The last part of `contextmd remove`: what belongs to no harness. Plugin folder, notes, scripts that are left, and with `--data` all data. */
import { existsSync, rmSync } from 'node:fs'
import { deletePlugin } from '../harness/claude-code/install-plugin.ts'
import { deleteHookFiles } from '../install/hook-scripts.ts'
import { retireHookTokens } from '../install/hook-token.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { findServer } from '../service/find.ts'
import { removeService } from '../service/install.ts'
import { managerOf } from '../service/manager.ts'
import { retireStartFile } from '../service/start-file.ts'
import { stopServer } from '../service/stop.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { pluginLeftLines } from './setup-claude-plugin.ts'
import { removedLines } from './service-report.ts'
import { HARNESSES, type RemoveOptions } from './setup-options.ts'

/** Gives the exit code. Throws a `TokensError` where tokens can't be revoked. */
export async function removeOwn({ data }: Pick<RemoveOptions, 'data'>, io: Io): Promise<number> {
  const paths = pathsFrom(io.env)
  const lines: string[] = []
  const service = removeService(managerOf(process.platform, io.env), io.env)
  if (service.state !== 'nothing') lines.push(removedLines(service).trimEnd())
  if (deletePlugin(paths.data)) lines.push('The plugin folder for Claude Code is deleted.')
  lines.push(...pluginLeftLines(io))
  // what a lost record left behind
  for (const harness of HARNESSES) deleteHookFiles(paths.hooks, harness)
  retireStartFile(paths)
  if (existsSync(paths.tokens)) {
    const tokens = openTokens(paths.tokens, { now: () => Date.now() })
    for (const harness of HARNESSES) retireHookTokens(tokens, harness)
  }
  if (existsSync(paths.notes)) {
    rmSync(paths.notes, { recursive: true, force: true })
    lines.push('The notes are deleted.')
  }
  const code = data ? await removeData(paths, lines) : 0
  lines.push(`Left as they are: ${leftIn(paths, data)}.`)
  io.stdout.write(`${lines.join('\n')}\n`)
  return code
}

/** A server that runs would write its state anew, or lose it: it is ended first. */
async function removeData(paths: Paths, lines: string[]): Promise<number> {
  const server = await findServer(paths)
  if (server.state !== 'none' && !(server.state === 'ours' && (await stopServer(paths, server.file)))) {
    lines.push(`${paths.data} is left: the server (process ${server.file.pid}) still runs. End it and run this again.`)
    return 1
  }
  rmSync(paths.data, { recursive: true, force: true })
  lines.push(`${paths.data} is deleted: state, log, tokens, trust.`)
  return 0
}

function leftIn(paths: Paths, data: boolean): string {
  const own = `${paths.serving} and your stores`
  return data ? own : `${own}, and ${paths.data} with the log and the state (--data deletes them)`
}
