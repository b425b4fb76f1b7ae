/** Records that are missing, or poorer than usual. */
import { noRecords, servedAll } from '../../kit/rows/fault.ts'
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'

export const RECORDS_ROWS: readonly Row<Stage>[] = [
  {
    name: 'G18: no records, the gate is assumed lifted',
    seams: [],
    withoutProof: true,
    run: (stage) => noRecords(stage, { args: ['--no-session-persistence'] }),
  },
  // Without the records of requests there are still lines, and answers that belong to another request.
  {
    name: 'no request records: proof by the lines',
    seams: [],
    run: (stage) => servedAll(stage, { env: { CLAUDE_CODE_ELEGANT_MEADOW: '0' } }),
  },
]
