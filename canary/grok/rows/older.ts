/** What 1.0.5 and its like can do: calls are held and forbidden, and texts come at the stop where the entry says so. */
import { olderGrok } from '../../../src/harness/grok/profile.ts'
import { namedRows } from '../../kit/common.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { promptAtStop } from './carry.ts'

export const OLDER_GROK_ROWS: readonly Row<Stage>[] = [
  ...namedRows(olderGrok, [
    'G21: inline hold, allowed at the first retry',
    'pointer hold, read with the read tool, then allowed',
    'pointer hold, read in the shell, then allowed',
    'forbid, and G16: the same call again and again',
    'M1: a mention and another command are let pass',
    'G20: a parallel wave',
    'one call of a wave is held, its siblings run',
    'G22: over-long hold, its file read, then allowed',
    'X2: multi-byte text of a hold arrives whole',
    'contextmd off and on',
    'the server is down',
    'switched off by CONTEXTMD_OFF',
  ]),
  { name: 'carry: a rule at a prompt comes at the stop', seams: ['stop inject'], run: promptAtStop },
]
