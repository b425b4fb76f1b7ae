/** Runs the tests in an entry's front matter, and says of each that fails which condition did not hold. */
import type { Entry } from '../core/entry.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'
import { evaluate } from './evaluate.ts'
import { reasonNot, reasonWhy, toldLine } from './words.ts'
import { writtenIn, type Written } from './written.ts'

export interface TestResult {
  readonly entry: Entry
  readonly told: ToldMoment
  readonly mustMatch: boolean
  readonly line: number
  readonly hasPassed: boolean
  /** What was expected and what was seen, for one that failed. */
  readonly why: string
}

export function runTests(entry: Entry, written: Written | null = writtenIn(entry.file)): readonly TestResult[] {
  return (written?.tests ?? []).map(({ told, mustMatch, line }) => {
    const explanation = evaluate(entry, told)
    if (explanation === null)
      return {
        entry,
        told,
        mustMatch,
        line,
        hasPassed: false,
        why: 'it names nothing that happens: add command, path, prompt or another key',
      }
    const hasPassed = explanation.matched === mustMatch
    const why = hasPassed ? '' : mustMatch ? `must match, but ${reasonNot(explanation)}` : `must not match, but ${reasonWhy(explanation)}`
    return { entry, told, mustMatch, line, hasPassed, why }
  })
}

export function testLine({ told, mustMatch }: Pick<TestResult, 'told' | 'mustMatch'>): string {
  return `${mustMatch ? 'match' : 'no-match'}: ${toldLine(told)}`
}
