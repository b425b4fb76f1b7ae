/** What the setups of all harnesses share whose hooks stand in a JSON file: a look at what is there, and words on what was taken back. */
import type { HarnessName } from '../core/id.ts'
import { staleHookFiles, tokenInHookFiles } from '../install/hook-scripts.ts'
import type { Found, Plan, Removed } from '../install/install.ts'
import { ourHooks } from '../install/placed-hooks.ts'
import { readRecords, recordFileIn } from '../install/record.ts'
import { readSettings } from '../install/settings-text.ts'
import { pathsFrom } from '../paths.ts'
import type { Io } from './command.ts'
import { projectAbove, type Known, type Looked } from './setup-harness.ts'

/** Stands for a token that is not issued yet. */
export const NO_TOKEN = 'TOKEN'

interface Seen {
  readonly harness: HarnessName
  readonly hooksFolder: string
  readonly found: Found
  /** Of a setup with nothing asked for. */
  readonly plan: Pick<Plan, 'isChange' | 'choice'>
  /** Null: a setup would issue one. */
  readonly goodToken: string | null
  /** The token that the hooks show, where it does not stand beside the scripts. */
  readonly shown?: string | null
  readonly isTokenStale?: boolean
  readonly obstacles: readonly string[]
}

export function lookedAt({ harness, hooksFolder, found, plan, goodToken, shown, isTokenStale = false, obstacles }: Seen): Looked {
  const beside = tokenInHookFiles(hooksFolder, harness)
  const { path, text } = found.file
  return {
    file: path,
    isThere: found.hasOurs,
    stale: [
      // what only a new token changes is told as that
      ...(plan.isChange && goodToken !== null ? (['hooks'] as const) : []),
      ...(staleHookFiles(hooksFolder, beside ?? NO_TOKEN, harness).length > 0 ? (['scripts'] as const) : []),
      ...(goodToken === null || isTokenStale ? (['token'] as const) : []),
    ],
    port: plan.choice.port,
    isFixed: plan.choice.transport !== 'command',
    token: shown ?? beside,
    hooks: ourHooks(readSettings(text ?? '', path)),
    obstacles,
  }
}

/** By the records. `levels`: how far the file of a project lies below it. */
export function knownSetups(harness: HarnessName, levels: number, io: Io): readonly Known[] {
  return readRecords(recordFileIn(pathsFrom(io.env).data), harness).map(({ scope, file }) => ({
    scope,
    file,
    project: scope === 'project' ? projectAbove(file, levels) : null,
  }))
}

/** `ours`: what of the file is ours. */
export function removedLine({ way }: Removed, file: string, ours = 'Our hooks are'): string {
  switch (way) {
    case 'restored':
      return `${file} is byte for byte what it was before setup.`
    case 'deleted':
      return `${file} is deleted: there was none before setup.`
    case 'edited':
      return `${ours} out of ${file}; the rest was changed since setup and is as it was.`
    case 'nothing':
      return `There was nothing of ours in ${file}.`
    default:
      return way satisfies never
  }
}

export function note(sentence: string): string {
  return `Note: ${sentence}`
}

export function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
