/** `contextmd doctor --fix`: what can be mended without asking. Nothing of a person's is changed that setup would not change. */
import { chmodSync } from 'node:fs'
import { isFixable, type Finding, type Fix } from '../doctor/finding.ts'
import { InstallError } from '../install/install-error.ts'
import { CommandError, type Io } from './command.ts'
import { setUpAgents } from './setup-agents.ts'
import { loadSetup } from './setup-harness.ts'
import { renewKept } from './setup-side.ts'
import { setUp as setUpPlugin } from './setup-claude-plugin.ts'
import type { SetupOptions } from './setup-options.ts'

/** `folder`: where the person stands. Gives how many were tried; what could not be mended is found again. */
export async function fix(findings: readonly Finding[], io: Io, folder: string): Promise<number> {
  const fixes = new Map(findings.filter(isFixable).map((finding) => [JSON.stringify(finding.fix), finding.fix]))
  for (const one of fixes.values()) {
    try {
      await apply(one, io, folder)
    } catch (error) {
      if (!(error instanceof InstallError || error instanceof CommandError)) throw error
      io.stderr.write(`contextmd: ${error.message}\n`)
    }
  }
  return fixes.size
}

async function apply(one: Fix, io: Io, folder: string): Promise<void> {
  const usual: SetupOptions = { scope: 'user', transport: null, port: null, dryRun: false, isOneOfMany: true }
  switch (one.kind) {
    case 'setup': {
      await renewKept(io)
      const { setUp } = await loadSetup(one.harness)
      await setUp({ ...usual, scope: one.scope, port: one.port }, io, one.project ?? folder)
      return
    }
    case 'plugin':
      await renewKept(io)
      setUpPlugin(usual, io)
      return
    case 'agents':
      await setUpAgents(one.harness, { ...usual, scope: one.scope, port: one.port }, io, one.project ?? folder)
      return
    case 'private':
      chmodSync(one.path, one.mode)
      io.stdout.write(`${one.path} is readable by you alone now.\n`)
      return
    default:
      one satisfies never
  }
}
