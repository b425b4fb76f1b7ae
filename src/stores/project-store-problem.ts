/** The words for what a project's own store holds that is not served. */
import type { Problem } from '../core/problem.ts'

/** Names in one message; more are counted. */
const NAMED = 5

export const projectStoreProblem = {
  notTrusted: (root: string, folder: string): Problem => ({
    code: 'store_not_trusted',
    severity: 'info',
    message: 'the project brings a store of its own; it is not trusted, and its entries are not served',
    cure: `look at its entries and trust them: contextmd trust ${root}`,
    file: folder,
  }),
  waiting: (root: string, folder: string, names: readonly string[]): Problem => ({
    code: 'store_entries_wait',
    severity: 'warning',
    message: `${names.length === 1 ? 'an entry of the project is' : `${names.length} entries of the project are`} new or changed since you looked, and not served: ${listed(names)}`,
    cure: `look at what changed and trust it: contextmd trust ${root}`,
    file: folder,
  }),
  outside: (folder: string): Problem => ({
    code: 'store_outside_project',
    severity: 'error',
    message: "the project's store is a link to a folder outside of the project; its entries are not served",
    cure: 'make it a folder of the project, or name that folder in serving.json',
    file: folder,
  }),
  entryOutside: (file: string, target: string): Problem => ({
    code: 'entry_outside_project',
    severity: 'error',
    message: `${target === file ? 'the entry is a link that leads' : `the entry names ${target}, which lies`} outside of the project; the entry is not served`,
    cure: 'put the file into the project',
    file,
  }),
} as const

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
