/** All rows of Grok Build, in the order in which they are played. */
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { BESIDE_ROWS } from './beside.ts'
import { COLLISION_ROWS } from './collision.ts'
import { EPOCH_ROWS } from './epoch.ts'
import { FAULT_ROWS } from './fault.ts'
import { HOLD_ROWS } from './hold.ts'
import { SEAM_ROWS } from './seam.ts'
import { SUBAGENT_ROWS } from './subagent.ts'
import { TEXT_ROWS } from './text.ts'
import { WAVE_ROWS } from './wave.ts'

export const GROK_ROWS: readonly Row<Stage>[] = [
  ...SEAM_ROWS,
  ...BESIDE_ROWS,
  ...HOLD_ROWS,
  ...WAVE_ROWS,
  ...COLLISION_ROWS,
  ...EPOCH_ROWS,
  ...SUBAGENT_ROWS,
  ...TEXT_ROWS,
  ...FAULT_ROWS,
]
