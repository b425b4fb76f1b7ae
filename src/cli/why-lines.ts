/** Why entries spoke or did not at a call, as lines for a screen: those that matched first, then those that came nearest. */
import { nearestItem, reasonNot } from '../authors/words.ts'
import type { RecalledCall } from '../harness/recall.ts'
import { explanationLines } from './explanation-lines.ts'
import { momentTitle } from './trial-lines.ts'
import type { Why, WhyMoment } from './why.ts'

/** `inFull`: one entry was asked for, each condition of it is told at both moments. */
export function whyLines(call: RecalledCall, moments: readonly WhyMoment[], inFull: boolean): readonly string[] {
  return [
    `call ${call.call}${call.wasDenied ? ' (denied: it never ran)' : ''}, from ${call.file}`,
    ...moments.flatMap((told) => ['', ...momentLines(told, inFull)]),
  ]
}

function momentLines({ moment, outcome, whys }: WhyMoment, inFull: boolean): readonly string[] {
  const head = `${momentTitle(moment)}${outcome === null ? '   (the log does not know this moment)' : `   log: ${outcome}`}`
  const matched = whys.filter(({ explanation }) => explanation.matched)
  const others = whys.filter(({ explanation }) => !explanation.matched).toSorted((a, b) => failures(a) - failures(b))
  return [
    head,
    ...(matched.length === 0 ? ['  no entry matches'] : []),
    ...matched.flatMap((why) => [`  ${why.entry.id}${happened(why)}`, ...explanationLines(why.explanation).map((line) => `    ${line}`)]),
    ...others.flatMap((why) =>
      inFull
        ? [`  ${why.entry.id}${happened(why)}`, ...explanationLines(why.explanation).map((line) => `    ${line}`)]
        : [`  ${why.entry.id}${happened(why)}  not: ${reasonNot(why.explanation)}`],
    ),
  ]
}

function happened({ happened, explanation }: Why): string {
  if (happened === null) return ''
  const edited = happened.hasChanged ? ', its text was edited since' : ''
  const turned = explanation.matched ? '' : ', which its `when` of today would not match'
  return `  log: ${happened.outcome}${edited}${turned}`
}

function failures({ explanation }: Why): number {
  return explanation.outside.length + (nearestItem(explanation)?.conditions.filter(({ matched }) => !matched).length ?? 0)
}
