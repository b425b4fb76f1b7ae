/** The seams by themselves, without ContextMD, each at its limit: in models of the new placement of texts, and of the old. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { curlTo } from '../../kit/bare-hook.ts'
import { calls } from '../../kit/reply.ts'
import { seamsAtLimits } from '../../kit/rows/seam.ts'
import type { Seams } from '../../kit/rows/seam.ts'
import type { Row } from '../../row.ts'
import { NEW_PLACEMENT_MODEL, OLD_PLACEMENT_MODEL } from '../session.ts'
import type { Stage } from '../stage.ts'
import { shell, subagent } from '../tools.ts'

const EVENTS: Seams['events'] = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt',
  PreToolUse: 'before-tool',
  PostToolUse: 'after-tool',
  PostToolUseFailure: 'after-tool',
  PostToolBatch: 'batch-end',
  SubagentStart: 'subagent-start',
}

async function seams(stage: Stage, model: string): Promise<void> {
  const setUp = async (url: string): Promise<void> => {
    // An http hook never fires at a session start.
    const hook = (event: string): object => (event === 'SessionStart' ? curlTo(url) : { type: 'http', url, timeout: 10 })
    const hooks = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, [{ hooks: [hook(event)] }]]))
    await writeFile(join(stage.place.harnessConfig, 'settings.json'), JSON.stringify({ hooks }))
  }
  await seamsAtLimits(stage, { events: EVENTS, setUp, options: { model }, shell, subagent: [calls(subagent('Help'))] })
}

const SEAMS = [
  'session-start inject',
  'prompt inject',
  'before-tool inject',
  'before-tool deny',
  'after-tool inject',
  'batch-end inject',
  'subagent-start inject',
] as const

export const SEAM_ROWS: readonly Row<Stage>[] = [
  { name: 'the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, NEW_PLACEMENT_MODEL) },
  { name: 'old placement: the seams by themselves, each at its limit', seams: SEAMS, run: (stage) => seams(stage, OLD_PLACEMENT_MODEL) },
]
