/** All rows of Codex, in the order in which they are played. */
import type { Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { BESIDE_ROWS } from './beside.ts'
import { HOLD_ROWS } from './hold.ts'
import { PERSON_ROWS } from './person.ts'
import { TEXT_ROWS } from './text.ts'
import { WAVE_ROWS } from './wave.ts'

export const CODEX_ROWS: readonly Row<Stage>[] = [...BESIDE_ROWS, ...HOLD_ROWS, ...WAVE_ROWS, ...TEXT_ROWS, ...PERSON_ROWS]
