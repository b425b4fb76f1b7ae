/** The stage of Codex. */
import { codex } from '../../src/harness/codex/profile.ts'
import { startModel } from '../kit/model.ts'
import { openStage as openKitStage } from '../kit/stage.ts'
import type { Stage as KitStage } from '../kit/stage.ts'
import { makePlace } from '../place.ts'
import { must } from '../row.ts'
import { openSession, prepareConfig, runExec } from './session.ts'
import type { ExecOptions, Session, SessionOptions } from './session.ts'
import { awaited, shell, subagent } from './tools.ts'
import { codexWire } from './wire.ts'

export interface Stage extends KitStage<SessionOptions, Session> {
  /** Path of the real program. */
  readonly program: string
  /** One prompt by `codex exec`. Gives the program's id of the conversation. */
  exec(prompt: string, options?: Partial<ExecOptions>): Promise<string>
}

/** How the program words a deny of a hook, and a call that went well (docs/harnesses/codex.md). */
const DENIED = /(?:^|Script error:\n)(?:Command|Tool call) blocked by PreToolUse hook: /
const WELL = /Process exited with code 0\n|^Script completed\n|^Exit code: 0\n|^\{"(?:agent_id|status)"/

export async function openStage(program: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const place = await makePlace(env)
  const model = await startModel(codexWire)
  await prepareConfig(place, model.url)
  const stage = await openKitStage<SessionOptions, Session>({
    place,
    model,
    rig: {
      profile: codex,
      tools: { shell, read: null, subagent: (task) => subagent(task), awaited: (request) => awaited(request) },
      traits: {
        tellsPerson: true,
        deniedWords: 'blocked by PreToolUse hook',
        spilled: 'Full hook output saved to',
        countsMissed: false,
        tellsSubagentLate: false,
      },
      isDenied: ({ text }) => DENIED.test(text),
      isGood: ({ text }) => WELL.test(text),
      setupEnv: { CODEX_HOME: place.harnessConfig, CONTEXTMD_CODEX: program },
      checkSetup: (printed) => must(printed.includes('trust     given'), `setup should have had the hooks trusted: ${printed}`),
      goOn: (way, session) => ({ from: { way, session } }),
      withEnv: (more) => ({ env: more }),
      open: async (options) => openSession(place, { program, ...options }),
      close: () => model.close(),
    },
  })
  return { ...stage, program, exec: (prompt, options = {}) => runExec(place, { program, ...options }, prompt) }
}
