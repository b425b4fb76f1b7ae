/** All rows of Grok Build, in the order in which they are played. */
import { grok } from '../../../src/harness/grok/profile.ts'
import { commonRows } from '../../kit/common.ts'
import { startedBySession } from '../../kit/rows/autostart.ts'
import { manualCompaction } from '../../kit/rows/epoch.ts'
import { serverSlow, startedLate } from '../../kit/rows/fault.ts'
import { projectScope } from '../../kit/rows/person.ts'
import type { Excused, Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { AGENT_ROWS } from './agents.ts'
import { CARRY_ROWS } from './carry.ts'
import { COLLISION_ROWS } from './collision.ts'
import { EPOCH_ROWS } from './epoch.ts'
import { NOTICE_ROWS } from './notice.ts'
import { REASON_ROWS } from './reason.ts'
import { SEAM_ROWS } from './seam.ts'
import { ACP, WAY_ROWS } from './way.ts'

const SHORT_REASON = {
  since: '2026-11-30',
  why: 'a reason holds 256 characters: rows of its own show the note, the second gate at the retry, and what is just short enough',
}

export const GROK_ROWS: readonly (Row<Stage> | Excused)[] = [
  ...SEAM_ROWS,
  ...commonRows(
    grok,
    {
      'two gates on one call': SHORT_REASON,
      'X2: multi-byte text of a hold arrives whole': SHORT_REASON,
      'X2: text of surrogate pairs of a hold arrives whole': SHORT_REASON,
    },
    {
      // `grok -p` has no way to compact, and is a process a prompt
      'T8, X5: manual compaction, pack again and gate armed again': (stage) => manualCompaction(stage, ACP),
      'S8: the server is slow': (stage) => serverSlow(stage, ACP),
      'S14: the server starts late': (stage) => startedLate(stage, ACP),
      'S14: no server runs: the session starts it, what follows is served': (stage) => startedBySession(stage, ACP),
      'hooks in the project': (stage) => projectScope(stage, { args: ['--trust'] }),
    },
  ),
  ...CARRY_ROWS,
  ...REASON_ROWS,
  ...WAY_ROWS,
  ...COLLISION_ROWS,
  ...EPOCH_ROWS,
  ...NOTICE_ROWS,
  ...AGENT_ROWS,
]
