/** What doctor says of one thing that it looked at. */
import type { HarnessName } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'
import type { SetupScope } from '../install/install.ts'

/** `note`: nothing is wrong, a person should know it; `warn`: it works, or may not always; `bad`: rules do not arrive. */
export type Level = 'ok' | 'note' | 'warn' | 'bad'

/** What `--fix` can do by itself: nothing that could lose a person's work. */
export type Fix =
  /** Setup once more. `port`: another one than it has. */
  | {
      readonly kind: 'setup'
      readonly harness: HarnessName
      readonly scope: SetupScope
      readonly project: string | null
      readonly port: number | null
    }
  | { readonly kind: 'plugin' }
  /** Setup of the endpoint for agents once more. */
  | {
      readonly kind: 'agents'
      readonly harness: HarnessName
      readonly scope: SetupScope
      readonly project: string | null
      readonly port: number | null
    }
  /** Takes a file's rights away from others. */
  | { readonly kind: 'private'; readonly path: string; readonly mode: number }

export interface Finding {
  /** Stable, for programs: which check it is of. */
  readonly id: string
  /** Null: it is about the server or the machine. */
  readonly harness: HarnessName | null
  readonly level: Level
  /** What was found, in one sentence. */
  readonly what: string
  /** What to do about it; empty where there is nothing to do. */
  readonly cure: string
  readonly fix?: Fix
}

const LEVELS = { error: 'bad', warning: 'warn', info: 'note' } as const satisfies Record<Problem['severity'], Level>

/** A problem that another part has found. */
export function findingOf({ code, severity, message, cure, file, line }: Omit<Problem, 'key'>): Finding {
  const where = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `
  return { id: code, harness: null, level: LEVELS[severity], what: `${where}${message}`, cure }
}

export function isFixable(finding: Finding): finding is Finding & { readonly fix: Fix } {
  return finding.fix !== undefined && (finding.level === 'bad' || finding.level === 'warn')
}
