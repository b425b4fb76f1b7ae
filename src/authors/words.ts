/** Explanations in words, for people. Longer ones for a screen are made of these. */
import type { ConditionReport, Explanation, ItemReport } from '../match/explain.ts'
import type { ToldMoment } from '../stores/entry-tests.ts'

/** A described moment as it stands in a file: `{command: git push, failed: true}`. */
export function toldLine(told: ToldMoment): string {
  const parts = Object.entries(told).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${String(value)}`]))
  return `{${parts.join(', ')}}`
}

/** The item that came nearest: the fewest conditions failed. Null if there is none. */
export function nearestItem(explanation: Explanation): ItemReport | null {
  return explanation.items.toSorted((a, b) => essentialFailures(a).length - essentialFailures(b).length)[0] ?? null
}

function failedIn(item: ItemReport): readonly ConditionReport[] {
  return item.conditions.filter((condition) => !condition.matched)
}

/** Keys that are met at their own moments only: where the moment is another, they say nothing more. */
const OF_A_MOMENT: ReadonlySet<string> = new Set(['session', 'prompt', 'output', 'failed'])

/** The conditions that failed, without those that had to fail because the moment is another. */
export function essentialFailures(item: ItemReport): readonly ConditionReport[] {
  const failed = failedIn(item)
  return failed.some(({ key }) => key === 'moment') ? failed.filter(({ key }) => !OF_A_MOMENT.has(key)) : failed
}

/** Why it did not match: what keeps it out, else the conditions of the nearest item that failed. */
export function reasonNot(explanation: Explanation): string {
  const item = nearestItem(explanation)
  const failed = [...explanation.outside, ...(item === null || item.matched ? [] : essentialFailures(item))]
  return failed.map(conditionLine).join('; ')
}

/** Why it matched: the item that did. */
export function reasonWhy(explanation: Explanation): string {
  const item = explanation.items.find((one) => one.matched)
  if (item === undefined) return 'it matched'
  const met = item.conditions.filter(({ key }) => key !== 'moment' && key !== 'not')
  return `item ${item.item + 1} of \`when\` matched: ${met.map(conditionLine).join('; ')}`
}

/** `command: wanted git push --force, saw git push`. */
export function conditionLine({ key, wanted, seen }: ConditionReport): string {
  if (key === 'not') return `not: ${seen === 'it matches' ? 'spared by' : 'not spared by'} ${wanted}`
  return `${key}: wanted ${wanted}, saw ${oneLine(seen)}`
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ⏎ ')
}
