/** Our MCP server for hooks in Codex's `config.toml`: put there by Codex itself, and taken out again. */
import { AppServerError, withAppServer } from '../harness/codex/app-server.ts'
import { registerServer, unregisterServer } from '../harness/codex/mcp-server.ts'
import { HOOK_SERVER } from '../install/hook.ts'
import { CommandError, type Io } from './command.ts'
import { programOf } from './setup-codex-trust.ts'

interface Wish {
  readonly port: number
  readonly token: string
  /** Limit of one hook, in seconds. */
  readonly seconds: number
}

/** True if it was not there as it should be. Throws a `CommandError` when it can't be put there: then nothing is written. */
export async function putServer(io: Io, folder: string, { port, token, seconds }: Wish): Promise<boolean> {
  const program = programOf(io)
  const address = `http://127.0.0.1:${port}/contextmd/hook-mcp?harness=codex`
  try {
    const result = await withAppServer({ program, env: io.env, folder }, (rpc) =>
      registerServer(rpc, { name: HOOK_SERVER, address, token, seconds }),
    )
    if (result !== 'foreign') return result === 'written'
  } catch (error) {
    if (!(error instanceof AppServerError)) throw error
    const why = error.code === 'missing' ? `"${program}" is not on the PATH` : error.message
    throw new CommandError(
      'failed',
      `Codex must write our server into its config.toml, and could not: ${why}. Nothing was set up; --transport command needs no server there`,
    )
  }
  throw new CommandError('failed', `another MCP server is named ${HOOK_SERVER} in Codex's config.toml: rename it, then run this again`)
}

/** A sentence for the person when it could not be taken out; else null. */
export async function dropServer(io: Io, folder: string): Promise<string | null> {
  try {
    await withAppServer({ program: programOf(io), env: io.env, folder }, (rpc) => unregisterServer(rpc, HOOK_SERVER))
    return null
  } catch (error) {
    if (!(error instanceof AppServerError)) throw error
    return `[mcp_servers.${HOOK_SERVER}] is left in Codex's config.toml: take it out by hand (${error.message}).`
  }
}
