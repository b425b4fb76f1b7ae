/** The last part of `contextmd remove`: what belongs to no harness. Plugin folder, notes, scripts that are left, and with `--data` all data of ours. */
import { existsSync } from 'node:fs'
import type { HarnessName } from '../core/id.ts'
import { deletePlugin } from '../harness/claude-code/install-plugin.ts'
import { deleteHookFiles as deletePluginFiles } from '../harness/opencode/install-hooks.ts'
import { readAgentRecords } from '../install/agent-record.ts'
import { deleteHookFiles } from '../install/hook-scripts.ts'
import { retireHookTokens } from '../install/hook-token.ts'
import { pathsFrom, type Paths } from '../paths.ts'
import { findServer, PATIENT_PROOF_MS } from '../service/find.ts'
import { forgetHostToken, readHostToken } from '../install/host-token.ts'
import { removeService } from '../service/install.ts'
import { managerOf } from '../service/manager.ts'
import { retireStartFile } from '../service/start-file.ts'
import { stopServer } from '../service/stop.ts'
import { openTokens } from '../state/tokens.ts'
import type { Io } from './command.ts'
import { leftLine } from './left-line.ts'
import { deleteData, deleteNotes, someOf } from './remove-files.ts'
import { loadOneHome } from './setup-harness.ts'
import { revokeLine } from './setup-revoke.ts'
import { pluginLeftLines, pluginLines } from './setup-claude-plugin.ts'
import { insideLine, removedLines } from './service-report.ts'
import { HARNESSES, type RemoveOptions } from './setup-options.ts'

/** Gives the exit code. Throws a `TokensError` where tokens can't be revoked. */
export async function removeOwn({ data }: Pick<RemoveOptions, 'data'>, io: Io): Promise<number> {
  const paths = pathsFrom(io.env)
  // it is forgotten on the way
  const host = readHostToken(paths.data)
  const lines: string[] = []
  const service = removeService(managerOf(process.platform, io.env), io.env)
  if (service.state !== 'nothing') lines.push(removedLines(service).trimEnd())
  lines.push(...pluginLines(deletePlugin(paths.data), paths))
  lines.push(...pluginLeftLines(io))
  const still = await stillSetUp(io)
  // what a lost record left behind
  const done = HARNESSES.filter((harness) => !still.some((one) => one.harness === harness))
  for (const harness of done) deleteHookFiles(paths.hooks, harness)
  if (done.includes('opencode')) deletePluginFiles(paths.hooks)
  retireStartFile(paths)
  if (existsSync(paths.tokens)) {
    const tokens = openTokens(paths.tokens, { now: () => Date.now() })
    for (const harness of done) retireHookTokens(tokens, harness)
  }
  if (still.length === 0) leaveHost(paths, io)
  const notes = deleteNotes(paths)
  if (notes.count > 0 || notes.isGone) lines.push('The notes are deleted.')
  if (notes.left.length > 0) lines.push(`Not ours, so left in ${paths.notes}: ${someOf(notes.left)}.`)
  for (const { harness, file } of still) lines.push(`Still set up in ${file}: the scripts and the token of ${harness} stay.`)
  if (!data && still.length === 0) await endBackground(paths, lines)
  const code = data ? await removeData(paths, still.length > 0, lines) : 0
  lines.push(leftLine(paths, data && code === 0, host))
  if (!data) lines.push(`"contextmd remove --data" deletes what is ours in ${paths.data}.`)
  io.stdout.write(`${lines.join('\n')}\n`)
  return still.length > 0 ? 1 : code
}

/** Once nothing is set up any more: forgets the host's token that hooks showed, after it was told how to end it. */
export function leaveHost(paths: Paths, io: Io): void {
  const left = readHostToken(paths.data)
  if (left !== null) io.stdout.write(`${revokeLine(left, io)}\n`)
  forgetHostToken(paths.data)
}

/** Hooks started it, and none is left that could use it. One that a person or a service manager started is theirs. */
async function endBackground(paths: Paths, lines: string[]): Promise<void> {
  const server = await findServer(paths, PATIENT_PROOF_MS)
  if (server.state !== 'ours') return
  if (server.file.startedAs === 'host') lines.push(`${insideLine(server.file)}: docs/hosts/t3code-inside.md.`)
  if (server.file.startedAs !== 'background') return
  lines.push(
    (await stopServer(paths, server.file))
      ? 'The server in the background is ended.'
      : `The server (process ${server.file.pid}) still runs.`,
  )
}

/** By the records that are left: hooks that could not be taken back. They'd be dead ones, with a revoked token. */
async function stillSetUp(io: Io): Promise<readonly { readonly harness: HarnessName; readonly file: string }[]> {
  const still: { harness: HarnessName; file: string }[] = []
  for (const harness of HARNESSES) {
    const { known } = await loadOneHome(harness)
    for (const { file } of known(io)) if (file !== null && existsSync(file)) still.push({ harness, file })
  }
  for (const { harness, file } of readAgentRecords(pathsFrom(io.env).data)) if (existsSync(file)) still.push({ harness, file })
  return still
}

/** A server that runs would write its state anew, or lose it: it is ended first. `isNeeded`: by hooks that stand somewhere. */
async function removeData(paths: Paths, isNeeded: boolean, lines: string[]): Promise<number> {
  if (isNeeded) {
    lines.push(`${paths.data} is left: take those hooks out, or mend what kept us from it, and run this again.`)
    return 1
  }
  const server = await findServer(paths, PATIENT_PROOF_MS)
  if (server.state === 'ours' && server.file.startedAs === 'host') {
    lines.push(`${paths.data} is left: ${insideLine(server.file)}. Then run this again.`)
    return 1
  }
  if (server.state !== 'none' && !(server.state === 'ours' && (await stopServer(paths, server.file)))) {
    lines.push(`${paths.data} is left: the server (process ${server.file.pid}) still runs. End it and run this again.`)
    return 1
  }
  const { left, isGone } = deleteData(paths)
  const what = 'state, log, tokens, trust'
  lines.push(isGone ? `${paths.data} is deleted: ${what}.` : `Deleted in ${paths.data}: ${what}.`)
  if (left.length > 0) lines.push(`Not ours, so left there: ${someOf(left)}.`)
  return 0
}
