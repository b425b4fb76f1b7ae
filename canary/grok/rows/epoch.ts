/** Compaction, resume and fork: where rules get lost, or are served twice. */
import { must } from '../../row.ts'
import type { Row } from '../../row.ts'
import { inOrder } from '../model.ts'
import { calls, say, shell } from '../reply.ts'
import { prepareConfig } from '../session.ts'
import type { SessionOptions } from '../session.ts'
import type { Stage } from '../stage.ts'
import { mustBeAllowed, mustBeDenied, mustHaveRun, mustNotSee, mustSee, nth, touch } from './expect.ts'
import { HOLD, hold } from './hold.ts'

const PACK = 'PACK-RULE: releases are written into the ledger.'
const AT_PROMPT = 'PROMPT-RULE: deployments are announced first.'

/** The window that the program is told it has, and a figure near its end: it compacts before the next request. */
const SMALL_WINDOW_TOKENS = 60_000
const NEARLY_FULL_TOKENS = 58_000

async function entries(stage: Stage): Promise<void> {
  await stage.place.entry('pack', `---\ntitle: Ledger\nwhen:\n  - session: [start, compact]\n---\n${PACK}\n`)
  await stage.place.entry('deploy', `---\ntitle: Deployments\nwhen:\n  - prompt: deploy\n---\n${AT_PROMPT}\n`)
  await stage.place.entry('owners', hold(HOLD))
}

/**
 * After the compaction: the gate armed again, the pack again beside the next call. `first` is the number of the first request after it.
 * Its replies: a gated call, the same again, the end.
 */
async function mustBeServedAgain(stage: Stage, first: number): Promise<void> {
  for (const text of [PACK, HOLD]) mustNotSee(nth(stage, first), text)
  mustBeDenied(nth(stage, first + 1))
  mustSee(nth(stage, first + 1), HOLD)
  mustBeAllowed(nth(stage, first + 2))
  mustSee(nth(stage, first + 2), PACK)
  await stage.verdict('owners', 'shown')
  await stage.verdict('pack', 'shown')
}

async function manualCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.'), calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add a file', '/compact', 'Add another'], { way: 'acp' })
  mustBeDenied(nth(stage, 1))
  mustBeAllowed(nth(stage, 2))
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
}

function mustHaveCompacted(stage: Stage): void {
  must(
    stage.model.requests().some((request) => request.asksFor === 'summary'),
    'the program should have compacted',
  )
}

/** In the middle of a turn: between two of its calls. */
async function autoCompaction(stage: Stage): Promise<void> {
  await entries(stage)
  await prepareConfig(stage.place, stage.model.url, SMALL_WINDOW_TOKENS)
  const full = { ...calls(shell('echo full')), inputTokens: NEARLY_FULL_TOKENS }
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), full, calls(touch('b')), calls(touch('b')), say('Done.')))
  await stage.play(['Add files'])
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
  mustHaveRun(stage, 'a', 'b')
}

/** A first session with all three entries shown, then more on top of it. */
async function onTop(stage: Stage, options: (session: string) => Partial<SessionOptions>): Promise<void> {
  await entries(stage)
  await stage.begin(inOrder(calls(touch('a')), calls(touch('a')), say('Done.')))
  const { session } = await stage.play(['Add a file, then deploy'])
  for (const entry of ['owners', 'deploy', 'pack']) await stage.verdict(entry, 'shown')
  stage.model.script(inOrder(calls(touch('b')), say('Done.')))
  await stage.play(['Add another, then deploy'], options(session))
  for (const index of [0, 1]) for (const text of [PACK, AT_PROMPT, HOLD]) mustSee(nth(stage, index), text)
  mustBeAllowed(nth(stage, 1))
  mustHaveRun(stage, 'b')
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: manual compaction, pack again and gate armed again', seams: ['before-tool inject'], run: manualCompaction },
  { name: 'T8: automatic compaction within a turn, pack again and gate armed again', seams: ['before-tool inject'], run: autoCompaction },
  {
    name: 'T7: resume, nothing is served twice',
    seams: [],
    run: (stage) => onTop(stage, (session) => ({ args: ['-r', session] })),
  },
  {
    name: 'T7: fork, nothing is served twice',
    seams: [],
    run: (stage) => onTop(stage, (session) => ({ args: ['-r', session, '--fork-session'] })),
  },
  {
    name: 'T7: ACP: a session that is loaded, nothing is served twice',
    seams: [],
    run: (stage) => onTop(stage, (load) => ({ way: 'acp', load })),
  },
]
