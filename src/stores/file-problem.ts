/** The words for files of a store that can't be read. */
import type { Problem } from '../core/problem.ts'
import { MAX_ENTRY_BYTES, type FileRead } from './file.ts'

type Unread = Exclude<FileRead['kind'], 'read' | 'gone' | 'folder'>

const FILE_PROBLEMS: Readonly<Record<Unread, { readonly code: string; readonly message: string; readonly cure: string }>> = {
  'not-a-file': { code: 'entry_not_a_file', message: 'this is a pipe or a device, not a file', cure: 'move it out of the store' },
  'too-large': {
    code: 'entry_too_large',
    message: `the file is larger than ${MAX_ENTRY_BYTES / 1024} KB`,
    cure: 'keep the rule short and name the long text with `read`',
  },
  loop: { code: 'entry_symlink_loop', message: 'the symlink leads back to itself', cure: 'remove the link, or point it to a file' },
  'no-permission': {
    code: 'entry_no_permission',
    message: 'the file may not be read',
    cure: 'give the user who runs ContextMD the right to read it: chmod u+r',
  },
  failed: { code: 'entry_unreadable', message: 'the file could not be read', cure: 'look at the file and its disk' },
}

export function fileProblem(file: string, kind: Unread, why?: string): Problem {
  const { code, message, cure } = FILE_PROBLEMS[kind]
  const detail = why === undefined ? message : `${message} (${why})`
  return { code, severity: 'error', message: `${detail}; the entry is not served`, cure, file }
}
