/** `contextmd remove`: takes back what `contextmd setup` wrote. */
import { dropRecord, readRecords, recordFileIn } from '../harness/claude-code/install-record.ts'
import { readRules } from '../harness/claude-code/install-rules.ts'
import { deleteHookFiles } from '../harness/claude-code/install-scripts.ts'
import { findIn, type Removed, settingsPath, undoSetup } from '../harness/claude-code/install.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { openTokens } from '../state/tokens.ts'
import type { Command, Io } from './command.ts'
import { HOOK_TOKEN_NAME } from './setup.ts'
import { loadSetup } from './setup-harness.ts'
import { parseRemoveOptions, placeOf, type SetupOptions } from './setup-options.ts'
import { foldersToRead } from './store-folders.ts'

export const command: Command = {
  name: 'remove',
  summary: 'Takes back what setup wrote.',
  usage: `contextmd remove HARNESS [--scope user|project]

Takes our hooks and permission rules out of the harness's settings: byte for byte what was there before, if nobody has changed them
since, else our parts only. Deletes the hook scripts and revokes their token, unless another scope still uses them. Leaves your
stores, serving.json, the log and the state.

      --scope SCOPE   user (default) or project: as it was set up`,
  async run(argv, io) {
    const options = parseRemoveOptions(argv)
    const { remove: removeHarness } = await loadSetup(options.harness)
    return await removeHarness(options, io, process.cwd())
  },
}

/** `folder`: where the person stands. Gives the exit code. */
export function remove({ scope }: Pick<SetupOptions, 'scope'>, io: Io, folder: string): number {
  const paths = pathsFrom(io.env)
  const place = placeOf(io.env, folder)
  const settings = settingsPath(scope, place.configFolder, place.project)
  const recordFile = recordFileIn(paths.data)
  const record = readRecords(recordFile).find((kept) => kept.file === settings) ?? null

  const removed = undoSetup(findIn(settings), record, readRules(foldersToRead(paths, place.home)))
  const left = dropRecord(recordFile, settings)
  const retired = left.length === 0 && retire(paths)

  const lines = [
    removedLine(removed, settings),
    ...left.map((other) => `Still set up in ${other.file}, so the hook scripts and their token stay.`),
    ...(retired ? ['The hook scripts are deleted and their token is revoked.'] : []),
    `Left as they are: ${paths.serving}, your stores, and ${paths.data} with the log and the state.`,
    ...(removed.backup === null ? [] : [`Also left: ${removed.backup}, the settings as they were before setup.`]),
  ]
  io.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

/** Deletes the scripts and revokes their tokens. True if there was one. */
function retire(paths: Paths): boolean {
  deleteHookFiles(paths.hooks)
  const tokens = openTokens(paths.tokens, { now: () => Date.now() })
  const ours = tokens.list().filter(({ name, revokedAt }) => name === HOOK_TOKEN_NAME && revokedAt === null)
  for (const { id } of ours) tokens.revoke(id)
  return ours.length > 0
}

function removedLine({ way }: Removed, settings: string): string {
  switch (way) {
    case 'restored':
      return `${settings} is byte for byte what it was before setup.`
    case 'deleted':
      return `${settings} is deleted: there was none before setup.`
    case 'edited':
      return `Our hooks and rules are out of ${settings}; the rest was changed since setup and is as it was.`
    case 'nothing':
      return `There was nothing of ours in ${settings}.`
    default:
      return way satisfies never
  }
}
