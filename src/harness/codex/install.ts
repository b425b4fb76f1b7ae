/**
 * Sets Codex up to post its moments to us: our hooks in its `hooks.json`, one file a scope.
 *
 * A plan first (nothing written), so that it can be shown. What others have put into the file stays, and in its place: Codex trusts a
 * hook by its place in the file, so ours come last.
 */
import { join } from 'node:path'
import { addOurs, type Written } from '../../install/edit.ts'
import type { SetupRecord } from '../../install/record.ts'
import { applySetup, type Found, type Plan, type Removed, undoSetup } from '../../install/install.ts'
import { EVENTS, type HookChoice, hooksFor } from './install-hooks.ts'

export type SetupScope = SetupRecord['scope']

const HOOK_FILE = 'hooks.json'
/** What must be taken for ours where no record tells. */
const WRITTEN: Written = { created: ['hooks', ...EVENTS.map((event) => `hooks.${event}`)], rules: [] }

/** `codexHome`: `CODEX_HOME` or `~/.codex`; `project`: the root of the project. */
export function hookFile(scope: SetupScope, codexHome: string, project: string): string {
  return scope === 'user' ? join(codexHome, HOOK_FILE) : join(project, '.codex', HOOK_FILE)
}

/** Throws an `InstallError` when the file as it is can't be edited. */
export function planSetup(found: Found, scope: SetupScope, choice: HookChoice, record: SetupRecord | null): Plan {
  const { file, hasOurs } = found
  const before = hasOurs ? (record?.written ?? WRITTEN) : null
  const edited = addOurs(file.text ?? '', file.path, { hooks: hooksFor(choice), rules: [] }, before)
  // a new file ends like any other
  const text = file.text === null && !edited.text.endsWith('\n') ? `${edited.text}\n` : edited.text
  const isChange = text !== file.text
  return { found, choice: { transport: choice.way, port: choice.port }, scope, text, written: edited.written, isChange, exclude: null }
}

export { applySetup }

/** Takes back what setup wrote: our hooks, and the file if there was none before. */
export function takeBack(found: Found, record: SetupRecord | null): Removed {
  return undoSetup(found, record ?? { ...UNKNOWN, file: found.file.path }, WRITTEN)
}

/** Without a record: a file that holds nothing but our hooks is taken for one that setup made. */
const UNKNOWN: Omit<SetupRecord, 'file'> = {
  scope: 'user',
  before: { kind: 'none' },
  after: '',
  written: { created: [...WRITTEN.created], rules: [] },
  madeFolder: false,
  exclude: null,
  transport: 'command',
  port: 0,
}
