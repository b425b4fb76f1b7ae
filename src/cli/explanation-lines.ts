/** One entry against one moment, condition by condition, as lines for a screen. */
import { oneLine } from '../authors/words.ts'
import type { ConditionReport, Explanation } from '../match/explain.ts'

export function explanationLines({ matched, outside, items, notAnalysed }: Explanation): readonly string[] {
  return [
    matched ? 'It matches.' : 'It does not match.',
    ...outside.map((report) => `  out of scope  ${conditionLine(report)}`),
    ...items.flatMap((item) => [
      `  item ${item.item + 1} of \`when\`: ${item.matched ? 'matches' : 'does not match'}`,
      ...item.conditions.map((report) => `    ${report.matched ? 'yes' : 'NO '}  ${conditionLine(report)}`),
    ]),
    ...(notAnalysed === null ? [] : [`  not analysed: ${notAnalysed}`]),
  ]
}

function conditionLine({ key, wanted, seen }: ConditionReport): string {
  return `${key.padEnd(8)}  wanted: ${wanted}   seen: ${oneLine(seen)}`
}
