/**
 * Sets Grok Build up to post its moments to us: a hook file of our own in its hooks folder, one a scope.
 *
 * A plan first (nothing written), so that it can be shown. What others have put into the file since, or before, stays.
 */
import { join } from 'node:path'
import { addOurs, type Written } from '../../install/edit.ts'
import type { SetupRecord } from '../../install/record.ts'
import { applySetup, type Found, type Plan, type Removed, undoSetup } from '../../install/install.ts'
import { EVENTS, type HookChoice, hooksFor } from './install-hooks.ts'

export type SetupScope = SetupRecord['scope']

/** Its name is the hooks' name in what the harness tells of them: `global/contextmd:pre_tool_use[0].hooks[0]`. */
const HOOK_FILE = join('hooks', 'contextmd.json')
/** What must be taken for ours where no record tells. */
const WRITTEN: Written = { created: ['hooks', ...EVENTS.map((event) => `hooks.${event}`)], rules: [] }

/** `grokHome`: `GROK_HOME` or `~/.grok`; `project`: the root of the project. */
export function hookFile(scope: SetupScope, grokHome: string, project: string): string {
  return scope === 'user' ? join(grokHome, HOOK_FILE) : join(project, '.grok', HOOK_FILE)
}

/** Throws an `InstallError` when the file as it is can't be edited. */
export function planSetup(found: Found, scope: SetupScope, choice: HookChoice, record: SetupRecord | null): Plan {
  const { file, hasOurs } = found
  const before = hasOurs ? (record?.written ?? WRITTEN) : null
  const edited = addOurs(file.text ?? '', file.path, { hooks: hooksFor(choice), rules: [] }, before)
  // a new file ends like any other
  const text = file.text === null && !edited.text.endsWith('\n') ? `${edited.text}\n` : edited.text
  const isChange = text !== file.text
  return { found, choice: { transport: 'command', port: choice.port }, scope, text, written: edited.written, isChange, exclude: null }
}

export { applySetup }

/** Takes back what setup wrote: our file, or our hooks out of what it has become. */
export function takeBack(found: Found, record: SetupRecord | null): Removed {
  return undoSetup(found, record ?? { ...UNKNOWN, file: found.file.path }, WRITTEN)
}

/** Without a record the file is taken for one that setup made: its name says so. */
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
