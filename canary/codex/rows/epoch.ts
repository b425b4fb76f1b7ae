/** Compaction, clear, resume and fork: where rules get lost, or are served twice. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'

/** Above it the program compacts, before the next request of a running turn. */
export const COMPACT_ABOVE_TOKENS = 50_000
export const NEARLY_FULL_TOKENS = 60_000

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: [start, compact]\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

/** After the compaction: the pack again, the gate armed again. `first` is the number of the first request after it. */
function mustBeServedAgain(stage: Stage, first: number): void {
  mustSee(nth(stage, first), PACK)
  mustNotSee(nth(stage, first), HOLD)
  mustBeDenied(nth(stage, first + 1))
  mustSee(nth(stage, first + 1), HOLD)
  mustBeAllowed(nth(stage, first + 2))
}

async function manualCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = stage.open()
  await session.say('Add a file')
  await session.compact()
  await session.say('Add another')
  await session.end()
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustBeServedAgain(stage, 3)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

/** In the middle of a turn: the next request of the very same turn has the pack again, and the next gated call is held again. */
async function autoCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  const full = { ...calls(shell('ls')), inputTokens: NEARLY_FULL_TOKENS }
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add files'], { settings: { model_auto_compact_token_limit: COMPACT_ABOVE_TOKENS } })
  must(
    stage.model.requests().some((request) => request.asksForSummary),
    'the program should have compacted by itself',
  )
  mustBeServedAgain(stage, 3)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

/** A new conversation under a new id: pack and gates as at a start. */
async function cleared(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  const session = stage.open()
  await session.say('Add a file')
  await session.clear()
  await session.say('Add another')
  await session.end()
  mustBeAllowed(nth(stage, 2))
  mustBeServedAgain(stage, 3)
}

/** A first session with all three entries shown, then a second one on top of it. */
async function onTop(stage: Stage, way: 'resume' | 'fork'): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  const { session } = await stage.play(['Add a file, then deploy'])
  await stage.verdict('owners', 'shown')
  await stage.verdict('deploy', 'shown')
  stage.model.script(inOrder(calls(touch('b')), say('Done.')))
  await stage.play(['Add another, then deploy'], { from: { way, session } })
  for (const index of [0, 1]) for (const text of [PACK, AT_PROMPT, HOLD]) mustSee(nth(stage, index), text)
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'b')
}

/** A fork of an earlier turn has only what was there then: the rest is served when it is due. */
async function rewound(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(say('Fine.'), calls(touch('a')), calls(touch('a')), say('Done.')))
  const { session, turns } = await stage.play(['Now deploy it', 'Add a file'])
  await stage.verdict('owners', 'shown')
  stage.model.script(inOrder(calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add another, then deploy'], { from: { way: 'fork', session, upTo: turns[0] } })
  mustSee(nth(stage, 0), PACK)
  mustSee(nth(stage, 0), AT_PROMPT)
  mustNotSee(nth(stage, 0), HOLD)
  mustBeDenied(nth(stage, 1))
  mustSee(nth(stage, 1), HOLD)
  mustBeAllowed(nth(stage, 2))
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: manual compaction, pack again and gate armed again', seams: ['session-start inject'], run: manualCompaction },
  { name: 'T8: automatic compaction in a turn, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  { name: 'T7: resume, nothing is served twice', seams: [], run: (stage) => onTop(stage, 'resume') },
  { name: 'T7: clear, pack again and gate armed again', seams: ['session-start inject'], run: cleared },
  { name: 'T7: fork, nothing is served twice', seams: [], run: (stage) => onTop(stage, 'fork') },
  { name: 'T11: fork of an earlier turn, what is gone is served again', seams: [], run: rewound },
]
