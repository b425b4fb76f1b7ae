/** A problem as one line: `file:line: severity: message (cure)`, as editors and terminals can follow it. */
import { relative } from 'node:path'
import type { Problem } from '../core/problem.ts'

export function problemLine(problem: Problem): string {
  const file = problem.file === undefined ? '' : near(problem.file)
  const place = file === '' ? '' : problem.line === undefined ? `${file}: ` : `${file}:${problem.line}: `
  return `${place}${problem.severity}: ${problem.message} (${problem.cure})`
}

/** Relative to where the person stands, if that is shorter. */
function near(file: string): string {
  const inside = relative(process.cwd(), file)
  return inside !== '' && !inside.startsWith('..') ? inside : file
}
