/** All rows of OpenCode, in the order in which they are played. */
import { opencode } from '../../../src/harness/opencode/profile.ts'
import { commonRows } from '../../kit/common.ts'
import type { Excused, Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { AGENT_ROWS } from './agents.ts'
import { COLLISION_ROWS } from './collision.ts'
import { EPOCH_ROWS } from './epoch.ts'
import { OTHER_WAY_ROWS } from './other-ways.ts'
import { PLACE_ROWS } from './place.ts'
import { SEAM_ROWS } from './seam.ts'
import { WAY_ROWS } from './way.ts'
import { WRITE_ROWS } from './write.ts'

const SINCE = '2026-11-30'

export const OPENCODE_ROWS: readonly (Row<Stage> | Excused)[] = [
  ...SEAM_ROWS,
  ...commonRows(opencode, {
    'T7: resume, nothing is served twice': {
      since: SINCE,
      why: 'a session of the same process is not resumed: a row of its own takes a second process',
    },
    'hooks in the project': { since: SINCE, why: 'every row is set up in the project; a row of its own sets up for the person as well' },
  }),
  ...PLACE_ROWS,
  ...WRITE_ROWS,
  ...COLLISION_ROWS,
  ...EPOCH_ROWS,
  ...WAY_ROWS,
  ...OTHER_WAY_ROWS,
  ...AGENT_ROWS,
]
