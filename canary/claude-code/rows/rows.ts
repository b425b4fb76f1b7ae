/** All rows of Claude Code, in the order in which they are played. */
import { claudeCode } from '../../../src/harness/claude-code/profile.ts'
import { commonRows } from '../../kit/common.ts'
import type { Excused, Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { AGENT_ROWS } from './agents.ts'
import { COLLISION_ROWS } from './collision.ts'
import { EPOCH_ROWS, forkedOnTop } from './epoch.ts'
import { PLUGIN_ROWS } from './plugin.ts'
import { RECORDS_ROWS } from './records.ts'
import { SEAM_ROWS } from './seam.ts'
import { SUBAGENT_ROWS } from './subagent.ts'
import { WAY_ROWS } from './way.ts'

export const CLAUDE_CODE_ROWS: readonly (Row<Stage> | Excused)[] = [
  ...SEAM_ROWS,
  ...commonRows(claudeCode, {}, { 'T7: fork, nothing is served twice': forkedOnTop }),
  ...WAY_ROWS,
  ...PLUGIN_ROWS,
  ...COLLISION_ROWS,
  ...EPOCH_ROWS,
  ...SUBAGENT_ROWS,
  ...RECORDS_ROWS,
  ...AGENT_ROWS,
]
