/** What `setup` and `remove` say when they are done. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { backupOf } from '../install/settings-file.ts'
import type { Plan } from '../install/install.ts'
import { DEFAULT_PORT } from '../paths.ts'

export function diffOf(file: string, before: string, after: string): string {
  return createTwoFilesPatch(file, file, before, after, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
}

interface Report {
  readonly isChange: boolean
  readonly hooksFolder: string
  /** Files of the first store that were missing. */
  readonly store: readonly string[]
  readonly notes: readonly string[]
}

export function dryRunReport({ diff, isChange, hooksFolder, store, notes }: Report & { readonly diff: string }): string {
  if (!isChange) return text(['Nothing would change: Claude Code is set up.', ...notes.map(note)])
  return text([
    ...(diff === '' ? [] : [masked(diff).trimEnd(), '']),
    `Would also write the hook scripts and their token to ${hooksFolder}.`,
    ...store.map((file) => `Would make ${file}`),
    ...notes.map(note),
    'Nothing was written.',
  ])
}

export function doneReport({
  plan,
  isChange,
  hooksFolder,
  store,
  serving,
  notes,
}: Report & { readonly plan: Plan; readonly serving: string }): string {
  const { choice, found } = plan
  if (!isChange) return text([`Nothing to do: Claude Code is set up in ${found.file.path}.`, ...notes.map(note)])
  return text([
    `Claude Code is set up (${plan.scope} settings, ${choice.transport} hooks, port ${choice.port}).`,
    ...(plan.isChange
      ? [`  settings  ${found.file.path}${found.file.text === null || found.hasOurs ? '' : `  (as it was: ${backupOf(found.file.path)})`}`]
      : []),
    `  hooks     ${hooksFolder}`,
    `  stores    ${serving}${store.length === 0 ? '' : ', made now, with example entries:'}`,
    ...store.filter((file) => file !== serving).map((file) => `            ${file}`),
    ...(plan.exclude === null ? [] : [`  git       the settings are left out of commits by ${plan.exclude}`]),
    ...notes.map(note),
  ])
}

/** What to do after a setup; `start`: how the agent is started, and what to ask of it. */
export function nextSteps(port: number, start: string): string {
  return `
Next:
  1. contextmd serve${port === DEFAULT_PORT ? '' : ` --port ${port}`}
  2. ${start}
  3. contextmd log shows what was served and whether the model got it; contextmd doctor looks whether all is connected
`
}

/** No secret on a screen that others may see, or that is pasted into an issue. */
function masked(diff: string): string {
  return diff.replace(/Bearer [^"\s]+/g, 'Bearer ****')
}

function note(sentence: string): string {
  return `Note: ${sentence}`
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
