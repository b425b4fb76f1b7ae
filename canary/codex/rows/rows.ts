/** All rows of Codex, in the order in which they are played. */
import { codex } from '../../../src/harness/codex/profile.ts'
import { commonRows } from '../../kit/common.ts'
import type { Excused, Row } from '../../row.ts'
import type { Stage } from '../stage.ts'
import { AGENT_ROWS } from './agents.ts'
import { CODE_MODE_ROWS } from './code-mode.ts'
import { COLLISION_ROWS } from './collision.ts'
import { EPOCH_ROWS } from './epoch.ts'
import { MCP_ROWS } from './mcp.ts'
import { PATCH_ROWS } from './patch.ts'
import { SEAM_ROWS } from './seam.ts'
import { SUBAGENT_ROWS } from './subagent.ts'
import { WAY_ROWS } from './way.ts'

const SINCE = '2026-11-30'

export const CODEX_ROWS: readonly (Row<Stage> | Excused)[] = [
  ...SEAM_ROWS,
  ...commonRows(codex, {
    'pointer hold, read with the read tool, then allowed': {
      since: SINCE,
      why: 'Codex has no tool that reads: files are read in the shell',
    },
  }),
  ...PATCH_ROWS,
  ...CODE_MODE_ROWS,
  ...COLLISION_ROWS,
  ...EPOCH_ROWS,
  ...SUBAGENT_ROWS,
  ...WAY_ROWS,
  ...MCP_ROWS,
  ...AGENT_ROWS,
]
