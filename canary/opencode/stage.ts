/**
 * The stage of OpenCode. One warm program and one model serve all rows; each row has a folder of its own, and so a plugin of its own. A
 * row that needs another environment or a second process has a program of its own.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opencode } from '../../src/harness/opencode/profile.ts'
import { startModel } from '../kit/model.ts'
import type { Model } from '../kit/model.ts'
import { openStage as openKitStage } from '../kit/stage.ts'
import type { Stage as KitStage } from '../kit/stage.ts'
import type { ToolResult } from '../kit/request.ts'
import { makePlace } from '../place.ts'
import { openOtherWay } from './other-ways.ts'
import { prepareHome, programEnv, startProgram } from './program.ts'
import type { Program, ProgramOptions } from './program.ts'
import { openSession, request } from './session.ts'
import type { Session, SessionOptions } from './session.ts'
import { read, shell, subagent } from './tools.ts'
import { opencodeWire } from './wire.ts'

export interface Stage extends KitStage<SessionOptions, Session> {
  /** Path of the program, for a row that starts it by itself. */
  readonly binary: string
  /** A program of the row's own, in the row's home, instead of the warm one. Later calls stop the one before. */
  restart(options?: Partial<ProgramOptions>): Promise<Program>
  program(): Program
}

/** The program adds nothing to what a plugin throws: a deny of ours is known by its first words. */
const DENIED = /^(?:Not a failure: rule "|Rule "[^"]*" forbids this)/

interface Warm {
  readonly model: Model
  readonly program: Program
}

let warm: Promise<Warm> | null = null

async function startWarm(binary: string, env: NodeJS.ProcessEnv): Promise<Warm> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'contextmd-canary-opencode-')))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const model = await startModel(opencodeWire)
  await prepareHome({ home, modelUrl: model.url })
  const program = await startProgram({ program: binary, home, modelUrl: model.url, path: env['PATH'] ?? '' })
  return { model, program }
}

export async function openStage(binary: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const { model, program: shared } = await (warm ??= startWarm(binary, env))
  const place = await makePlace(env)
  let own: Program | null = null
  let usesShared = false

  const program = (): Program => own ?? shared
  const restart = async (options: Partial<ProgramOptions> = {}): Promise<Program> => {
    await own?.stop()
    const all = { program: binary, home: place.home, modelUrl: model.url, path: env['PATH'] ?? '', ...options }
    if (own === null) await prepareHome(all)
    own = await startProgram(all)
    return own
  }
  const isDenied = ({ text }: ToolResult): boolean => DENIED.test(text)

  const stage = await openKitStage<SessionOptions, Session>({
    place,
    model,
    rig: {
      profile: opencode,
      tools: { shell, read, subagent },
      traits: { tellsPerson: false, deniedWords: 'Not a failure', spilled: null, countsMissed: true, tellsSubagentLate: false },
      isDenied,
      isGood: (result) => !isDenied(result),
      setupEnv: {},
      setupArgs: ['--scope', 'project'],
      goOn: (way, session) => ({ from: { way, session } }),
      withEnv: (more) => ({ env: more }),
      async open(options) {
        const { way, from } = options
        if (way !== undefined) {
          await prepareHome({ home: place.home, modelUrl: model.url })
          const other = programEnv({ home: place.home, path: env['PATH'] ?? '' })
          return openOtherWay({ way, program: binary, cwd: place.project, env: other, resumed: from?.session ?? null })
        }
        if (options.env !== undefined) await restart({ env: options.env })
        usesShared ||= own === null
        return openSession(program(), place.project, options)
      },
      async close() {
        // forgets the row's folder, with its plugin
        if (usesShared) await request(shared, place.project, 'POST', '/instance/dispose').catch(() => {})
        await own?.stop()
      },
      output: () => own?.output() ?? '',
    },
  })
  return { ...stage, binary, restart, program }
}
