/** An automatic compaction in the middle of a turn. */
import { usual } from '../../kit/entries.ts'
import { mustHaveRun } from '../../kit/expect.ts'
import { calls } from '../../kit/reply.ts'
import { mustBeServedAgain, mustHaveCompacted, twice } from '../../kit/rows/epoch.ts'
import type { Row } from '../../row.ts'
import { prepareConfig } from '../session.ts'
import type { Stage } from '../stage.ts'
import { shell } from '../tools.ts'

/** The window that the program is told it has, and a figure near its end: it compacts before the next request. */
const SMALL_WINDOW_TOKENS = 60_000
const NEARLY_FULL_TOKENS = 58_000

async function autoCompaction(stage: Stage): Promise<void> {
  await usual(stage)
  await prepareConfig(stage.place, stage.model.url, SMALL_WINDOW_TOKENS)
  await stage.begin(twice(stage, [{ ...calls(shell('echo full')), inputTokens: NEARLY_FULL_TOKENS }]))
  await stage.play(['Add files'])
  mustHaveCompacted(stage)
  await mustBeServedAgain(stage, 3)
  mustHaveRun(stage, 'a', 'b')
}

export const EPOCH_ROWS: readonly Row<Stage>[] = [
  { name: 'T8: automatic compaction within a turn, pack again and gate armed again', seams: ['before-tool inject'], run: autoCompaction },
]
