/** An automatic compaction, `/clear` and a fork, as Claude Code does them. */
import { usual } from '../../kit/entries.ts'
import { mustBeAllowed } from '../../kit/expect.ts'
import { say } from '../../kit/reply.ts'
import { mustBeServedAgain, mustHaveCompacted, onTop, twice } from '../../kit/rows/epoch.ts'
import type { Stage as AnyStage } from '../../kit/stage.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

/** The window that the program is told it has, and a figure near its end: it compacts before the next request. */
const SMALL_WINDOW_TOKENS = 100_000
const NEARLY_FULL_TOKENS = 98_000

async function autoCompaction(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage, [{ ...say('Done.'), inputTokens: NEARLY_FULL_TOKENS }]))
  await stage.play(['Add a file', 'Add another'], { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(SMALL_WINDOW_TOKENS) } })
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
}

/** A new conversation under a new id: pack and gates as at a start. */
async function cleared(stage: Stage): Promise<void> {
  await usual(stage)
  await stage.begin(twice(stage))
  await stage.play(['Add a file', '/clear', 'Add another'])
  mustBeAllowed(stage, 2)
  await mustBeServedAgain(stage, 3)
}

/** The prompt matches nothing: the session file of a fork is not there before its first call, so what it replays can't be known yet. */
export function forkedOnTop(stage: AnyStage): Promise<void> {
  return onTop(stage, 'fork', 'Add another')
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: automatic compaction, pack again and gate armed again', seams: ['session-start inject'], run: autoCompaction },
  { name: 'T7: /clear, pack again and gate armed again', seams: ['session-start inject'], run: cleared },
]
