/** The words for folders of a store, and for the store as a whole. */
import type { Problem } from '../core/problem.ts'

export const storeProblem = {
  missing: (name: string, folder: string): Problem => ({
    code: 'store_folder_missing',
    severity: 'error',
    message: `the folder of the store "${name}" is not there: ${folder}; its entries are not served, other stores are`,
    cure: 'make the folder, or mend its path in serving.json',
    file: folder,
  }),
  notAFolder: (name: string, folder: string): Problem => ({
    code: 'store_not_a_folder',
    severity: 'error',
    message: `the store "${name}" is a file, not a folder: ${folder}; its entries are not served, other stores are`,
    cure: 'name the folder that holds the entries in serving.json',
    file: folder,
  }),
  unreadable: (folder: string): Problem => ({
    code: 'store_folder_unreadable',
    severity: 'error',
    message: 'the folder may not be listed; what is in it is not served',
    cure: 'give the user who runs ContextMD the right to read it: chmod u+rx',
    file: folder,
  }),
  seenTwice: (folder: string, twin: string): Problem => ({
    code: 'store_folder_seen_twice',
    severity: 'warning',
    message: `the folder is the same as ${twin}, by a symlink; it is taken once`,
    cure: 'remove the link',
    file: folder,
  }),
  tooDeep: (folder: string, depth: number): Problem => ({
    code: 'store_folder_too_deep',
    severity: 'error',
    message: `the folder lies more than ${depth} levels deep; what is in it is not served`,
    cure: 'move it up',
    file: folder,
  }),
  notWatched: (folder: string): Problem => ({
    code: 'store_not_watched',
    severity: 'warning',
    message: 'the system does not tell of changes in this folder; in a large store an edit may take some seconds to count',
    cure: 'raise the limit of watches (on Linux fs.inotify.max_user_watches), or move the store to a local disk',
    file: folder,
  }),
  tooMany: (name: string, folder: string, limit: number, left: number): Problem => ({
    code: 'store_too_many_files',
    severity: 'error',
    message: `the store "${name}" holds more than ${limit} entries; ${left} of them are not served, all others are`,
    cure: 'name a folder of rules, not a whole disk, or split the store',
    file: folder,
  }),
  loading: (name: string, folder: string, left: number): Problem => ({
    code: 'store_loading',
    severity: 'info',
    message: `${left} files of the store "${name}" are still to be read`,
    cure: 'nothing to do: it takes some seconds',
    file: folder,
  }),
  deadLink: (file: string): Problem => ({
    code: 'entry_dead_link',
    severity: 'error',
    message: 'the symlink leads to no file; the entry is not served',
    cure: 'remove the link, or point it to a file',
    file,
  }),
} as const
