/** Which files set a harness up and take it back. Each is loaded when it is asked for. */
import type { HarnessName } from '../core/id.ts'
import type { Io } from './command.ts'
import type { SetupOptions } from './setup-options.ts'

export interface HarnessSetup {
  setUp(options: SetupOptions, io: Io, folder: string): number | Promise<number>
  remove(options: Pick<SetupOptions, 'scope'>, io: Io, folder: string): number | Promise<number>
}

const SETUPS: Readonly<Record<HarnessName, () => Promise<HarnessSetup>>> = {
  'claude-code': async () => ({ ...(await import('./setup.ts')), ...(await import('./remove.ts')) }),
  codex: () => import('./setup-codex.ts'),
  grok: () => import('./setup-grok.ts'),
  opencode: () => import('./setup-opencode.ts'),
}

export function loadSetup(harness: HarnessName): Promise<HarnessSetup> {
  return SETUPS[harness]()
}
