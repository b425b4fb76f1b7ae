/** The stage of Claude Code. */
import { claudeCode } from '../../src/harness/claude-code/profile.ts'
import { startModel } from '../kit/model.ts'
import { openStage as openKitStage } from '../kit/stage.ts'
import type { Session, Stage as KitStage } from '../kit/stage.ts'
import { makePlace } from '../place.ts'
import { openSession, prepareConfig, runCommand } from './session.ts'
import type { SessionOptions } from './session.ts'
import { read, shell, subagent } from './tools.ts'
import { claudeCodeWire } from './wire.ts'

export interface Stage extends KitStage<SessionOptions> {
  /** A command of the program besides sessions. Gives what it printed. */
  command(...args: readonly string[]): Promise<string>
}

/** How the program words a deny of a hook (docs/harnesses/claude-code.md). */
const DENIED = /^PreToolUse:\w+ hook error: /

export async function openStage(program: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const place = await makePlace(env)
  await prepareConfig(place)
  const model = await startModel(claudeCodeWire)
  const stage = await openKitStage<SessionOptions, Session>({
    place,
    model,
    rig: {
      profile: claudeCode,
      tools: { shell, read, subagent },
      traits: { tellsPerson: true, deniedWords: 'hook error', spilled: '<persisted-output>', countsMissed: true, tellsSubagentLate: false },
      isDenied: ({ isError, text }) => isError === true && DENIED.test(text),
      isGood: ({ isError }) => isError !== true,
      setupEnv: { CLAUDE_CONFIG_DIR: place.harnessConfig },
      goOn: (way, session) => ({ args: ['--resume', session, ...(way === 'fork' ? ['--fork-session'] : [])] }),
      withEnv: (more) => ({ env: more }),
      open: async (options) => openSession(place, { program, modelUrl: model.url, ...options }),
      close: () => model.close(),
    },
  })
  return { ...stage, command: (...args) => runCommand(place, { program, modelUrl: model.url }, args) }
}
