/** Tells that an agent was about to change what belongs to the person, for health: with harness and tool, and no path. */
import type { Entry } from '../core/entry.ts'
import type { Moment } from '../core/moment.ts'
import type { Problem } from '../core/problem.ts'
import { OWN_FILES } from './own-files.ts'

/** Counted in health, held or not. */
export const OWN_FILES_TOUCHED = 'own_files_touched'

/** Null where the moment has nothing to do with our own files. */
export function touchedOwnFiles(moment: Moment, candidates: readonly { readonly entry: Entry }[]): Problem | null {
  if (moment.kind !== 'before-tool' || !candidates.some(({ entry }) => entry.id === OWN_FILES)) return null
  const who = moment.agent === null ? 'An agent' : 'A subagent'
  return {
    code: OWN_FILES_TOUCHED,
    severity: 'warning',
    message: `${who} in ${moment.harness} (${moment.call.tool}) was about to change rules, settings or files of ContextMD itself.`,
    cure: `If you did not ask for it, look at your stores and settings; \`contextmd log --entry ${OWN_FILES}\` tells when it was.`,
  }
}
