/** An entry's file as its author wrote it: its shape, its tests, and on which line each part stands. */
import { readFileOnce } from '../stores/file.ts'
import { entrySchema, type EntryShape } from '../stores/entry-schema.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { sourceOf } from '../stores/source.ts'
import { yamlValues } from '../stores/yaml-values.ts'

export interface WrittenTest {
  readonly told: ToldMoment
  readonly mustMatch: boolean
  readonly line: number
}

export interface Written {
  readonly shape: EntryShape
  readonly tests: readonly WrittenTest[]
  /** Line in the file, counted from 1, of the value at a path of the front matter. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Line 1 of the front matter is line 2 of the file. */
const LINES_ABOVE = 1

/** Null if the file is gone, or is not in order: then others say so. */
export function writtenIn(file: string): Written | null {
  const found = readFileOnce(file)
  if (found.kind !== 'read') return null
  const source = sourceOf(found.bytes)
  if (!source.ok) return null
  const yaml = yamlValues(source.frontMatter)
  const checked = entrySchema.safeParse(yaml.value)
  if (!checked.success) return null
  const lineOf = (path: readonly PropertyKey[]): number => yaml.lineOf(path) + LINES_ABOVE
  const tests = (checked.data.tests ?? []).flatMap((test, index): WrittenTest[] => {
    const told = test.match ?? test['no-match']
    return told === undefined ? [] : [{ told, mustMatch: test.match !== undefined, line: lineOf(['tests', index]) }]
  })
  return { shape: checked.data, tests, lineOf }
}
