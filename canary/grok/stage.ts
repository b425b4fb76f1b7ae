/** The stage of Grok Build. */
import { grok } from '../../src/harness/grok/profile.ts'
import { startModel } from '../kit/model.ts'
import { openStage as openKitStage } from '../kit/stage.ts'
import type { Session, Stage as KitStage } from '../kit/stage.ts'
import type { ToolResult } from '../kit/request.ts'
import { makePlace } from '../place.ts'
import { openSession, prepareConfig } from './session.ts'
import type { SessionOptions } from './session.ts'
import { read, shell, subagent } from './tools.ts'
import { grokWire } from './wire.ts'

export type Stage = KitStage<SessionOptions>

/** How the program words a deny of a hook (docs/harnesses/grok.md), the result of a command that failed, and that of any other tool. */
const DENIED = /^Hook denied: /
const FAILED = /^(?:exit: (?!0\b)|Error: )/

export async function openStage(program: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const place = await makePlace(env)
  const model = await startModel(grokWire)
  await prepareConfig(place, model.url)
  const isDenied = ({ text }: ToolResult): boolean => DENIED.test(text)
  return openKitStage<SessionOptions, Session>({
    place,
    model,
    rig: {
      profile: grok,
      tools: { shell, read, subagent },
      traits: { tellsPerson: false, deniedWords: 'Hook denied', spilled: null, countsMissed: true, tellsSubagentLate: true },
      isDenied,
      isGood: (result) => !isDenied(result) && !FAILED.test(result.text),
      setupEnv: { GROK_HOME: place.harnessConfig },
      goOn: (way, session) => ({ args: ['-r', session, ...(way === 'fork' ? ['--fork-session'] : [])] }),
      withEnv: (more) => ({ env: more }),
      open: async (options) => openSession(place, { program, ...options }),
      close: () => model.close(),
    },
  })
}
