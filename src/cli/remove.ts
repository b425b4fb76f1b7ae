/** `contextmd remove`: takes back what `contextmd setup` wrote: of one harness, or all of it. */
import type { HarnessName } from '../core/id.ts'
import { InstallError } from '../install/install-error.ts'
import { CommandError, type Command, type Io } from './command.ts'
import { pathsFrom } from '../paths.ts'
import { retireStartFile } from '../service/start-file.ts'
import { removeOwn } from './remove-own.ts'
import { loadSetup, type Known } from './setup-harness.ts'
import { HARNESSES, parseRemoveOptions, type RemoveOptions } from './setup-options.ts'

export const command: Command = {
  name: 'remove',
  summary: 'Takes back what setup wrote.',
  usage: `contextmd remove [HARNESS] [--scope user|project]
contextmd remove [--data] [--yes]

Takes our hooks and permission rules out of the harness's settings: byte for byte what was there before, if nobody has changed them
since, else our parts only. Deletes the hook scripts and revokes their token, unless another scope still uses them.

Without a name: of all harnesses and all projects that were set up, with the service, the plugin for Claude Code and the notes. Leaves
your stores and serving.json, and the state with the log.

      --scope SCOPE   user (default) or project: as it was set up
      --data          takes away the data folder too: state, log, tokens, trust. Asks first
      --yes           does not ask`,
  async run(argv, io) {
    const options = parseRemoveOptions(argv)
    if (options.harness === null) return await removeAll(options, io, process.cwd())
    const { remove } = await loadSetup(options.harness)
    const code = await remove(options, io, process.cwd())
    retireStartFile(pathsFrom(io.env))
    return code
  },
}

/** Takes back all of it. What can't be taken back keeps nothing else from it. Gives the exit code. */
export async function removeAll(options: RemoveOptions, io: Io, folder: string): Promise<number> {
  if (options.data && !(await isAgreed(options, io))) {
    io.stdout.write('Nothing was changed.\n')
    return 1
  }
  let code = 0
  for (const harness of HARNESSES) {
    for (const { scope, project } of await setupsOf(harness, io)) {
      try {
        const { remove } = await loadSetup(harness)
        io.stdout.write(`── ${harness}${project === null ? '' : ` in ${project}`}\n`)
        await remove({ scope }, quietly(io), project ?? folder)
      } catch (error) {
        if (!(error instanceof InstallError || error instanceof CommandError)) throw error
        io.stderr.write(`contextmd: ${harness}: ${error.message}\n`)
        code = 1
      }
    }
  }
  return Math.max(code, await removeOwn(options, io))
}

/** Those that the records know, and the person's own settings in any case: a record may be lost. */
async function setupsOf(harness: HarnessName, io: Io): Promise<readonly Known[]> {
  const { known } = await loadSetup(harness)
  // the homes of a host's instances are taken back with the person's own
  const all = known(io).filter((one, at, them) => them.findIndex((other) => isSame(one, other)) === at)
  return all.some(({ scope }) => scope === 'user') ? all : [{ scope: 'user', project: null, file: null }, ...all]
}

function isSame(one: Known, other: Known): boolean {
  return one.scope === other.scope && one.project === other.project
}

/** What is left is said once, at the end. */
function quietly(io: Io): Io {
  return { ...io, stdout: { write: (text: string) => io.stdout.write(text.replace(/^Left as they are: .*\n/m, '')) } }
}

async function isAgreed({ yes }: RemoveOptions, io: Io): Promise<boolean> {
  if (yes) return true
  if (io.ask === undefined) throw new CommandError('failed', 'there is no terminal to ask at: add --yes to delete state, log and tokens')
  return /^y(es)?$/i.test((await io.ask('Delete the state, the log and all tokens as well? [y/N] ')).trim())
}
