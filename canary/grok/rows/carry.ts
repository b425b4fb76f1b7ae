/** Texts that have no seam at their moment: at the stop where the entry says so, or not at all. */
import { AT_PROMPT } from '../../kit/entries.ts'
import { mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { shell } from '../tools.ts'

const deploy = (more = ''): string => `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n${more}---\n${AT_PROMPT}\n`

/** No call in the turn: the entry says that it is worth a model round. */
export async function promptAtStop(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', deploy('carry: stop\n'))
  await stage.begin(inOrder(say('Deployed.'), say('Announced, too.'), say('More?')))
  await stage.play(['Now deploy it, please'])
  mustNotSee(nth(stage, 0), AT_PROMPT)
  mustSee(nth(stage, 1), AT_PROMPT)
  must(stage.main().length === 2, `the turn should have gone on once; the model was asked ${stage.main().length} times`)
  await stage.verdict('deploy', 'shown')
}

/** Without that word it costs nothing, and ends with the run. */
async function promptWithoutCall(stage: Stage): Promise<void> {
  await stage.place.entry('deploy', deploy())
  await stage.begin(inOrder(say('Deployed.'), calls(shell('echo one')), say('Fine.')))
  await stage.play(['Now deploy it, please', 'Something else'])
  must(stage.main().length === 3, `no turn should have gone on; the model was asked ${stage.main().length} times`)
  mustNotSee(nth(stage, 2), AT_PROMPT)
}

export const CARRY_ROWS: readonly Row<Stage>[] = [
  { name: 'carry: a rule at a prompt comes at the stop', seams: ['stop inject'], run: promptAtStop },
  { name: 'carry: no call and no wish for a round, nothing is sent', seams: [], run: promptWithoutCall },
]
