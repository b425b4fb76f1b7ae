/** The words for files that can't be read as entries at all. */
import type { Problem } from '../core/problem.ts'
import type { SourceMistake } from './source.ts'

const SOURCE_PROBLEMS: Readonly<Record<SourceMistake['code'], { readonly message: string; readonly cure: string }>> = {
  entry_not_utf8: { message: 'the file is not valid UTF-8', cure: 'save it as UTF-8' },
  entry_not_text: { message: 'the file holds zero bytes: it is UTF-16 or no text', cure: 'save it as UTF-8, or move it out of the store' },
  entry_no_front_matter: {
    message: 'the file has no front matter: the first line must be ---',
    cure: 'start it with a line ---, then `when:` with a condition, then a line ---',
  },
  entry_front_matter_open: { message: 'the front matter is not closed', cure: 'add a line --- between the last key and the text' },
  entry_front_matter_too_large: {
    message: 'the front matter is longer than 16 KB',
    cure: 'move the text below the closing line ---; only keys belong above it',
  },
}

export function sourceProblem(file: string, { code, line }: SourceMistake): Problem {
  const { message, cure } = SOURCE_PROBLEMS[code]
  return { code, severity: 'error', message: `${message}; the entry is not served`, cure, file, line }
}
