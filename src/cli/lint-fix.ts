/** Mends files of entries where that is safe, with a diff of each. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { fixed } from '../authors/fix.ts'
import { readFileOnce } from '../stores/file.ts'

export interface Fix {
  readonly file: string
  readonly diff: string
}

/** Files that are gone, or can't be read as text, are passed over. With `write` false nothing is written. */
export function fixFiles(files: readonly string[], write: boolean): readonly Fix[] {
  return files.flatMap((file): Fix[] => {
    const before = textOf(file)
    if (before === null) return []
    const after = fixed(before)
    if (after === before) return []
    if (write) writeFileSync(file, after)
    return [
      {
        file,
        diff: createTwoFilesPatch(file, file, shown(before), shown(after), undefined, undefined, { headerOptions: FILE_HEADERS_ONLY }),
      },
    ]
  })
}

function textOf(file: string): string | null {
  if (readFileOnce(file).kind !== 'read') return null
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  // what is not UTF-8 would come back as something else
  return Buffer.from(text).equals(bytes) ? text : null
}

/** A byte order mark and line ends of Windows can't be seen in a diff. */
function shown(text: string): string {
  return text.replace(/^\uFEFF/, '<byte order mark>').replaceAll('\r', '<CR>')
}
