/** `contextmd remove`: takes back what `contextmd setup` wrote: of one harness, or all of it. */
import type { HarnessName } from '../core/id.ts'
import { InstallError } from '../install/install-error.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { pathsFrom } from '../paths.ts'
import { retireStartFile } from '../service/start-file.ts'
import { tokenInHookFiles } from '../install/hook-scripts.ts'
import { removeAgents } from './remove-agents.ts'
import { leaveHost, removeOwn } from './remove-own.ts'
import { placesOf } from './remove-places.ts'
import { loadOneHome } from './setup-harness.ts'
import { HARNESSES, parseRemoveOptions, type RemoveOptions } from './setup-options.ts'

export const command: Command = {
  name: 'remove',
  summary: 'Takes back what setup wrote.',
  usage: `contextmd remove [HARNESS] [--scope user|project]
contextmd remove [--data] [--yes]

Takes our hooks, permission rules and MCP entry out of the harness's settings: byte for byte what was there before, if nobody has changed them
since, else our parts only. Deletes the hook scripts and revokes their token, unless another scope still uses them. The token of a host
that hooks posted into is forgotten, and you are told how to end it there.

Without a name: of all harnesses and all projects that were set up, with the service, the plugin for Claude Code and the notes. Leaves
your stores and serving.json, and the state with the log. What can't be taken back is named, its scripts and token stay, and it ends
with 1.

      --scope SCOPE   user (default) or project: as it was set up
      --data          deletes our files in the data folder too: state, log, tokens, trust. Asks first
      --yes           does not ask`,
  async run(argv, io) {
    const options = parseRemoveOptions(argv)
    if (options.harness === null) return await removeAll(options, io, process.cwd())
    const code = await removeOne(options.harness, options, io, process.cwd())
    const paths = pathsFrom(io.env)
    retireStartFile(paths)
    const isLast = HARNESSES.every((harness) => tokenInHookFiles(paths.hooks, harness) === null)
    if (isLast) leaveHost(paths, io)
    return code
  },
}

/** Of one harness. A person's own settings: those of every home that is there or that the records know. Gives the exit code. */
export async function removeOne(harness: HarnessName, { scope }: Pick<RemoveOptions, 'scope'>, io: Io, folder: string): Promise<number> {
  const { known, remove } = await loadOneHome(harness)
  const places =
    scope === 'project'
      ? [{ title: null, io }]
      : placesOf(
          harness,
          known(io).filter((one) => one.scope === 'user'),
          io,
        )
  let code = 0
  for (const { title, io: there } of places) {
    try {
      if (title !== null && title !== harness) io.stdout.write(`── ${title}\n`)
      code = Math.max(code, await remove({ scope }, there, folder))
    } catch (error) {
      if (!(error instanceof InstallError || error instanceof CommandError)) throw error
      io.stderr.write(`contextmd: ${error.message}\n`)
      code = 1
    }
  }
  return Math.max(code, await removeAgents(harness, scope, io, folder))
}

/** Takes back all of it. What can't be taken back keeps nothing else from it. Gives the exit code. */
export async function removeAll(options: RemoveOptions, io: Io, folder: string): Promise<number> {
  if (options.data && !(await isAgreed(options, io))) {
    io.stdout.write('Nothing was changed.\n')
    return 1
  }
  let code = 0
  for (const harness of HARNESSES) {
    const { known, remove } = await loadOneHome(harness)
    for (const { scope, project, title, io: there } of placesOf(harness, known(io), io)) {
      try {
        if (title !== null) io.stdout.write(`── ${title}\n`)
        await remove({ scope }, quietly(there), project ?? folder)
      } catch (error) {
        if (!(error instanceof InstallError || error instanceof CommandError)) throw error
        io.stderr.write(`contextmd: ${harness}: ${error.message}\n`)
        code = 1
      }
    }
    code = Math.max(code, await removeAgents(harness, null, io, folder))
  }
  return Math.max(code, await removeOwn(options, io))
}

/** What is left is said once, at the end. */
function quietly(io: Io): Io {
  return { ...io, stdout: { write: (text: string) => io.stdout.write(text.replace(/^Left as they are: .*\n/m, '')) } }
}

async function isAgreed({ yes }: RemoveOptions, io: Io): Promise<boolean> {
  if (yes) return true
  if (io.ask === undefined) throw new CommandError('failed', 'there is no terminal to ask at: add --yes to delete state, log and tokens')
  const { data } = pathsFrom(io.env)
  const question = `Delete the state, the log, all tokens and the trust in ${data} as well? Files of others stay. [y/N] `
  return /^y(es)?$/i.test((await io.ask(question)).trim())
}
