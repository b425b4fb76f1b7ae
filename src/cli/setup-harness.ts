/** Which files set a harness up, look at what stands there, and take it back. Each is loaded when it is asked for. */
import { dirname } from 'node:path'
import type { HarnessName } from '../core/id.ts'
import type { SetupScope } from '../install/install.ts'
import type { PlacedHook } from '../install/placed-hooks.ts'
import type { Io } from './command.ts'
import { withInstances } from './setup-instances.ts'
import type { SetupOptions } from './setup-options.ts'

export type Scoped = Pick<SetupOptions, 'scope'>

export interface HarnessSetup {
  /** `folder`: where the person stands. Gives the exit code. */
  setUp(options: SetupOptions, io: Io, folder: string): number | Promise<number>
  remove(options: Scoped, io: Io, folder: string): number | Promise<number>
  /** What stands there now and what a setup would change. Writes nothing. Throws an `InstallError`. */
  look(options: Scoped, io: Io, folder: string): Looked
  /** Where it was set up by the records: `folder` is what `remove` and `look` are told. */
  known(io: Io): readonly Known[]
}

export interface Known {
  readonly scope: SetupScope
  /** Null: the scope needs none. */
  readonly project: string | null
  /** That was written; null: not told. */
  readonly file: string | null
}

export interface Looked {
  /** The file that holds our hooks. */
  readonly file: string
  /** Hooks of ours stand in it. */
  readonly isThere: boolean
  /** What a setup would renew. Empty: all is as setup wrote it. */
  readonly stale: readonly Stale[]
  readonly port: number
  /** The harness itself posts to this port: it can't look where the server is. */
  readonly isFixed: boolean
  /** The token that the hooks show; null if there is none. */
  readonly token: string | null
  /** Ours as they stand there; empty where they are a plugin's. */
  readonly hooks: readonly PlacedHook[]
  /** What keeps them from running, or from being of use. Sentences for a person. */
  readonly obstacles: readonly string[]
}

export type Stale = 'hooks' | 'scripts' | 'token'

const SETUPS: Readonly<Record<HarnessName, () => Promise<HarnessSetup>>> = {
  'claude-code': () => import('./setup-claude-code.ts'),
  codex: () => import('./setup-codex.ts'),
  grok: () => import('./setup-grok.ts'),
  opencode: () => import('./setup-opencode.ts'),
}

export async function loadSetup(harness: HarnessName): Promise<HarnessSetup> {
  return withInstances(harness, await loadOneHome(harness))
}

/** Without the homes of a host's instances: of the one home that the environment names. */
export async function loadOneHome(harness: HarnessName): Promise<HarnessSetup> {
  return await SETUPS[harness]()
}

/** The project of a settings file that stands so many folders below it. */
export function projectAbove(file: string, levels: number): string {
  return levels === 0 ? file : projectAbove(dirname(file), levels - 1)
}
