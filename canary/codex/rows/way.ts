/** Other ways to run it: one prompt as in scripts and CI, and a conversation that leaves no records. */
import { AT_PROMPT, HOLD, PACK, usual } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { noRecords } from '../../kit/rows/fault.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { touch } from '../tools.ts'

async function execOnce(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  await stage.exec('Add a file, then deploy')
  mustSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 0), AT_PROMPT)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
  for (const entry of ['pack', 'deploy', 'owners']) await stage.verdict(entry, 'shown')
}

export const WAY_ROWS: readonly Row<Stage>[] = [
  { name: 'codex exec: pack, prompt and hold', seams: ['session-start inject', 'prompt inject', 'before-tool deny'], run: execOnce },
  {
    name: 'G18: no records, the gate is assumed lifted',
    seams: [],
    withoutProof: true,
    run: (stage) => noRecords(stage, { ephemeral: true }),
  },
]
