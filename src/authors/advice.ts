/**
 * What lint says of an entry that is in order: where it can never fire, where its text can't arrive, what makes matching slow, and which
 * of its tests fail.
 */
import type { Entry, TriggerItem } from '../core/entry.ts'
import type { Problem } from '../core/problem.ts'
import type { Profile } from '../core/profile.ts'
import { LANE_BYTES } from '../core/budget.ts'
import { bytesOf } from '../core/text.ts'
import { anchorsOf } from '../match/anchors.ts'
import { compileItem } from '../match/item.ts'
import { regexSource } from '../match/regex.ts'
import { absentPaths, type KnownPlaces } from './absent-paths.ts'
import { deadItems } from './dead-items.ts'
import { runTests, testLine } from './run-tests.ts'
import { replyText, seamsOf, type SeamLine } from './seams.ts'
import { writtenIn, type Written } from './written.ts'

export interface AdviceOptions extends KnownPlaces {
  readonly profiles: readonly Profile[]
}

interface Advice {
  readonly code: string
  readonly severity: Problem['severity']
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly cure: string
}

export function adviceOn(entry: Entry, options: AdviceOptions): readonly Problem[] {
  const written = writtenIn(entry.file)
  if (written === null) return []
  const found = [...dead(entry), ...absent(entry, options), ...unreachable(entry, options.profiles), ...slow(entry)]
  return [...found.map((advice) => problemOf(advice, entry, written)), ...failedTests(entry, written)]
}

function problemOf({ code, severity, path, message, cure }: Advice, entry: Entry, written: Written): Problem {
  const key = path.findLast((part) => typeof part === 'string')
  return { code, severity, message, cure, file: entry.file, line: written.lineOf(path), ...(key === undefined ? {} : { key: String(key) }) }
}

function dead(entry: Entry): readonly Advice[] {
  return deadItems(entry).map(({ item, key, reason, cure }) => ({
    code: 'entry_never_fires',
    severity: 'warning',
    path: pathOf(item, key),
    message: `\`${key}\`: ${reason}`,
    cure,
  }))
}

function absent(entry: Entry, places: KnownPlaces): readonly Advice[] {
  return absentPaths(entry, places).map(({ item, glob, folder }) => ({
    code: 'entry_path_absent',
    severity: 'warning',
    path: pathOf(item, 'path'),
    message: `\`path\`: nothing can match ${glob} now: there is no folder ${folder}`,
    cure: 'mend the path; if the folder is still to come, leave it',
  }))
}

/** What a harness can't do for the entry: no seam, too long. */
function unreachable(entry: Entry, profiles: readonly Profile[]): readonly Advice[] {
  const wanted = entry.scope.harnesses ?? []
  const unknown = wanted.filter((name) => profiles.every((profile) => profile.name !== name))
  const advice: Advice[] = []
  if (wanted.length > 0 && unknown.length === wanted.length)
    advice.push({
      code: 'entry_never_fires',
      severity: 'warning',
      path: ['scope', 'harnesses'],
      message: `\`harnesses\` names none that this version can serve: ${wanted.join(', ')}`,
      cure: `name one of ${profiles.map(({ name }) => name).join(', ')}, or leave the key out`,
    })
  // what other harnesses do is told by the seam report: not everybody uses all of them
  for (const profile of profiles.filter(({ name }) => wanted.includes(name))) {
    for (const { item, moment, arrival } of seamsOf(entry, profile)) {
      if (arrival === 'carried')
        advice.push({
          code: 'entry_no_seam',
          severity: 'info',
          path: pathOf(item),
          message: `${profile.title} takes no text at this moment (${moment}): it is carried to the next one that does`,
          cure: 'see `contextmd seams`; nothing to do if later is early enough',
        })
      if (arrival === 'not-held')
        advice.push({
          code: 'entry_no_seam',
          severity: 'warning',
          path: pathOf(item),
          message: `${profile.title} can deny no call here: nothing is ${entry.forbid ? 'forbidden' : 'held'}`,
          cure: 'leave this harness out of `scope.harnesses`, or live with a text beside the call',
        })
    }
  }
  return [...advice, ...tooLong(entry, profiles)]
}

function tooLong(entry: Entry, profiles: readonly Profile[]): readonly Advice[] {
  const bytes = bytesOf(replyText(entry))
  const end = 'it is never sent whole: one line that names its file goes in its place'
  const cure = 'shorten it, split it, or put the long part into a file and name that with `read`'
  if (bytes > LANE_BYTES.rules) {
    const message = `the text takes ${bytes} bytes with its marks, more than a run's budget of ${LANE_BYTES.rules}; ${end}`
    return [{ code: 'entry_too_long', severity: 'warning', path: [], message, cure }]
  }
  const shorter = profiles.filter((profile) => seamsOf(entry, profile).some((seam) => isCut(seam, profile)))
  if (shorter.length === 0) return []
  const message = `the text takes ${bytes} bytes with its marks, more than ${shorter.map(({ title }) => title).join(' and ')} can take whole at its moment; there ${end}`
  const isMeant = shorter.some(({ name }) => entry.scope.harnesses?.includes(name) === true)
  return [{ code: 'entry_too_long', severity: isMeant ? 'warning' : 'info', path: [], message, cure }]
}

/** Where the reason of a deny is all that arrives, it names a note that holds the text: that is the way there, and no fault of the entry. */
function isCut({ arrival, size }: SeamLine, { denyText }: Profile): boolean {
  const isNoted = denyText === 'reason' && (arrival === 'holds' || arrival === 'forbids')
  return size === 'over the limit of the harness' && !isNoted
}

const PATTERN_KEYS = ['prompt', 'command', 'content', 'output'] as const

/** A pattern in which no three letters are fixed is tried at every moment of its kind. */
function slow(entry: Entry): readonly Advice[] {
  return entry.when.flatMap((item, index): Advice[] => {
    const key = PATTERN_KEYS.find((one) => item[one]?.some((pattern) => regexSource(pattern) !== null))
    if (key === undefined || !isAlwaysTried(item)) return []
    return [
      {
        code: 'entry_without_literal',
        severity: 'info',
        path: pathOf(index, key),
        message: `\`${key}\`: no three letters of the pattern are fixed, so it is tried at every moment of its kind: slow with many such entries`,
        cure: 'write a word of the text out, or add a condition that has one',
      },
    ]
  })
}

function isAlwaysTried(item: TriggerItem): boolean {
  return anchorsOf([compileItem(item, { ignoreCase: false })]).always.size > 0
}

function failedTests(entry: Entry, written: Written): readonly Problem[] {
  return runTests(entry, written)
    .filter(({ hasPassed }) => !hasPassed)
    .map((result) => ({
      code: 'entry_test_fails',
      severity: 'error',
      message: `a test fails: ${testLine(result)} ${result.why}; the entry is served all the same`,
      cure: 'mend `when`, or the test',
      file: entry.file,
      line: result.line,
      key: 'tests',
    }))
}

/** The nearest part that is written is found by its line: an item alone need not stand in a list. */
function pathOf(item: number, key?: keyof TriggerItem): readonly PropertyKey[] {
  return key === undefined ? ['when', item] : ['when', item, key]
}
