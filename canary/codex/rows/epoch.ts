/** An automatic compaction, `/clear` and a fork of an earlier turn, as Codex does them. */
import { AT_PROMPT, HOLD, PACK, usual } from '../../kit/entries.ts'
import { mustBeAllowed, mustBeDenied, mustNotSee, mustSee, nth } from '../../kit/expect.ts'
import { inOrder } from '../../kit/model.ts'
import { calls, say } from '../../kit/reply.ts'
import { mustBeServedAgain, mustHaveCompacted, twice } from '../../kit/rows/epoch.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { shell, touch } from '../tools.ts'

/** Above it the program compacts, before the next request of a running turn. */
export const COMPACT_ABOVE_TOKENS = 50_000
export const NEARLY_FULL_TOKENS = 60_000

/** In the middle of a turn: the next request of the very same turn has the pack again, and the next gated call is held again. */
async function autoCompaction(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage, [{ ...calls(shell('ls')), inputTokens: NEARLY_FULL_TOKENS }]))
  await stage.play(['Add files'], { settings: { model_auto_compact_token_limit: COMPACT_ABOVE_TOKENS } })
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
}

/** A new conversation under a new id: pack and gates as at a start. */
async function cleared(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage))
  const session = await stage.open()
  await session.say('Add a file')
  await session.clear()
  await session.say('Add another')
  await session.end()
  mustBeAllowed(stage, 2)
  await mustBeServedAgain(stage, 3)
}

/** A fork of an earlier turn has only what was there then: the rest is served when it is due. */
async function rewound(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(inOrder(say('Fine.'), calls(touch('a')), calls(touch('a')), say('Done.')))
  const session = await stage.play(['Now deploy it', 'Add a file'])
  await stage.verdict('owners', 'shown')
  stage.model.script(inOrder(calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add another, then deploy'], { from: { way: 'fork', session: session.id(), upTo: session.turns()[0] } })
  mustSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 0), AT_PROMPT)
  mustNotSee(nth(stage, 0), HOLD)
  mustBeDenied(stage, 1)
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(stage, 2)
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: automatic compaction in a turn, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  { name: 'T7: clear, pack again and gate armed again', seams: ['session-start inject'], run: cleared },
  { name: 'T11: fork of an earlier turn, what is gone is served again', seams: [], run: rewound },
]
