/** The seams by themselves, without ContextMD, each at its limit: with plain calls, and in code mode. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { curlTo } from '../../kit/bare-hook.ts'
import { calls } from '../../kit/reply.ts'
import { seamsAtLimits } from '../../kit/rows/seam.ts'
import type { Seams } from '../../kit/rows/seam.ts'
import type { Row } from '../../row.ts'
import { CODE_MODEL, PLAIN_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { awaited, script, shell, subagent } from '../tools.ts'

const EVENTS: Seams['events'] = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  SubagentStart: 'subagent-start',
}

async function seams(stage: Stage, model: string): Promise<void> {
  const setUp = async (url: string): Promise<void> => {
    const hooks = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, [{ hooks: [curlTo(url)] }]]))
    await writeFile(join(stage.place.harnessConfig, 'hooks.json'), JSON.stringify({ hooks }))
  }
  const isPlain = model === PLAIN_MODEL
  const agents = isPlain ? 'v1' : 'v2'
  await seamsAtLimits(stage, {
    events: EVENTS,
    setUp,
    options: { model, settings: { bypass_hook_trust: true } },
    shell: (line) => (isPlain ? shell(line) : script(`const r = await tools.exec_command({cmd: ${JSON.stringify(line)}}); text(r.output)`)),
    subagent: [calls(subagent('Help', agents)), (request) => awaited(request, agents)],
  })
}

const SEAMS = [
  'session-start inject',
  'prompt inject',
  'before-tool inject',
  'before-tool deny',
  'after-tool inject',
  'subagent-start inject',
] as const

export const SEAM_ROWS: readonly Row<Stage>[] = [
  { name: 'the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, PLAIN_MODEL) },
  { name: 'code mode: the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, CODE_MODEL) },
]
