/** All rows of OpenCode, in the order in which they are played. */
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { HOLD_ROWS } from './hold.ts'

export const OPENCODE_ROWS: readonly Row<Stage>[] = [...HOLD_ROWS]
