/** The harnesses that the canary can play, each in the version that its profile claims, and one that is older. A new one is a folder beside this file and a line here. */
import type { Profile } from '../src/core/profile.ts'
import { claudeCode } from '../src/harness/claude-code/profile.ts'
import { codex } from '../src/harness/codex/profile.ts'
import { grok, olderGrok } from '../src/harness/grok/profile.ts'
import { opencode } from '../src/harness/opencode/profile.ts'
import { claudeCodePackage } from './claude-code/package.ts'
import { CLAUDE_CODE_ROWS } from './claude-code/rows/rows.ts'
import { openStage as openClaudeCode } from './claude-code/stage.ts'
import { codexPackage } from './codex/package.ts'
import { CODEX_ROWS } from './codex/rows/rows.ts'
import { openStage as openCodex } from './codex/stage.ts'
import { grokPackage, OLDER_VERSION } from './grok/package.ts'
import { OLDER_GROK_ROWS } from './grok/rows/older.ts'
import { GROK_ROWS } from './grok/rows/rows.ts'
import { openStage as openGrok } from './grok/stage.ts'
import type { HarnessPackage } from './install.ts'
import { opencodePackage } from './opencode/package.ts'
import { OPENCODE_ROWS } from './opencode/rows/rows.ts'
import { openStage as openOpenCode } from './opencode/stage.ts'
import { type Closable, playRow } from './play.ts'
import type { Excused, Row, RowResult } from './row.ts'

export interface Subject {
  readonly profile: Profile
  /** The pinned version, or another one. */
  readonly packageOf: (version?: string) => HarnessPackage
  readonly rows: readonly {
    readonly name: string
    readonly play: (program: string, env: NodeJS.ProcessEnv) => Promise<RowResult>
  }[]
  readonly excused: readonly Excused[]
}

function subject<Stage extends Closable>(
  profile: Profile,
  packageOf: Subject['packageOf'],
  rows: readonly (Row<Stage> | Excused)[],
  open: (program: string, env: NodeJS.ProcessEnv) => Promise<Stage>,
): Subject {
  return {
    profile,
    packageOf,
    rows: rows.flatMap((row) =>
      'excuse' in row
        ? []
        : [{ name: row.name, play: (program: string, env: NodeJS.ProcessEnv) => playRow(row, () => open(program, env)) }],
    ),
    excused: rows.filter((row) => 'excuse' in row),
  }
}

export const SUBJECTS: Readonly<Record<string, Subject>> = {
  'claude-code': subject(claudeCode, claudeCodePackage, CLAUDE_CODE_ROWS, openClaudeCode),
  codex: subject(codex, codexPackage, CODEX_ROWS, openCodex),
  grok: subject(grok, grokPackage, GROK_ROWS, openGrok),
  'grok-older': subject(olderGrok, (version = OLDER_VERSION) => grokPackage(version), OLDER_GROK_ROWS, openGrok),
  opencode: subject(opencode, opencodePackage, OPENCODE_ROWS, openOpenCode),
}
