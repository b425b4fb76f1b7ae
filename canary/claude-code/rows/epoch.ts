/** Compaction, clear, resume and fork: where rules get lost, or are served twice. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say } from '../reply.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'

/** The window that the program is told it has, and a figure near its end: it compacts before the next request. */
const SMALL_WINDOW_TOKENS = 100_000
const NEARLY_FULL_TOKENS = 98_000

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
  await stage.play(['Add a file', '/compact', 'Add another'])
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustBeServedAgain(stage, 3)
  // X5: what hooks print at a compaction, and their address, goes into the conversation: there must be none of ours
  for (const request of stage.model.requests()) mustNotSee(request, '/contextmd/v1/')
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

async function autoCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  const full = { ...say('Done.'), inputTokens: NEARLY_FULL_TOKENS }
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add a file', 'Add another'], { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(SMALL_WINDOW_TOKENS) } })
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
  await stage.play(['Add a file', '/clear', 'Add another'])
  mustBeAllowed(nth(stage, 2))
  mustBeServedAgain(stage, 3)
}

/**
 * A first session with all three entries shown, then a second one on top of it.
 *
 * The prompt of a fork matches nothing: the session file of a fork is not there before its first call, so what it replays can't be known yet.
 */
async function onTop(stage: Stage, prompt: string, args: (session: string) => readonly string[]): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  const { session } = await stage.play(['Add a file, then deploy'])
  await stage.verdict('owners', 'shown')
  await stage.verdict('deploy', 'shown')
  stage.model.script(inOrder(calls(touch('b')), say('Done.')))
  await stage.play([prompt], { args: args(session) })
  for (const index of [0, 1]) for (const text of [PACK, AT_PROMPT, HOLD]) mustSee(nth(stage, index), text)
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'b')
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8, X5: manual compaction, pack again and gate armed again', seams: ['session-start inject'], run: manualCompaction },
  { name: 'T8: automatic compaction, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  {
    name: 'T7: resume, nothing is served twice',
    seams: [],
    run: (stage) => onTop(stage, 'Add another, then deploy', (session) => ['--resume', session]),
  },
  { name: 'T7: /clear, pack again and gate armed again', seams: ['session-start inject'], run: cleared },
  {
    name: 'T7: fork, nothing is served twice',
    seams: [],
    run: (stage) => onTop(stage, 'Add another', (session) => ['--resume', session, '--fork-session']),
  },
]
