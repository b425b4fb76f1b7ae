/** What would happen at a moment, as lines for a screen. */
import type { NearMiss } from '../authors/why-not.ts'
import type { Trial } from '../authors/trial.ts'
import { conditionLine, oneLine } from '../authors/words.ts'
import { clipToBytes } from '../core/text.ts'
import type { Moment } from '../core/moment.ts'
import { OUTCOMES } from '../core/outcome.ts'
import type { Problem } from '../core/problem.ts'
import type { Project } from '../match/match.ts'

interface Shown {
  readonly moment: Moment
  readonly project: Project
  readonly trial: Trial
  /** Of the harness. */
  readonly title: string
  readonly misses: readonly NearMiss[]
  /** Files of entries with a mistake. */
  readonly broken: number
  /** Of stores as a whole: what is not served, and why. */
  readonly storeProblems: readonly Problem[]
  readonly entries: number
}

/** One line on a screen. */
const SEEN_BYTES = 100

export function trialLines({ moment, project, trial, title, misses, broken, storeProblems, entries }: Shown): readonly string[] {
  return [
    `${momentTitle(moment)}   (project ${project.root})`,
    '',
    ...(trial.rows.length === 0 ? [`Nothing would be served: none of ${entries} entries matches.`] : rowLines(trial)),
    ...answerLines(trial, title),
    ...(trial.notAnalysed === null ? [] : ['', `Not analysed in full: ${trial.notAnalysed}`]),
    ...(misses.length === 0 ? [] : ['', 'Why not:', ...misses.map(missLine)]),
    ...(broken === 0
      ? []
      : ['', `${broken} ${broken === 1 ? 'file has a mistake' : 'files have mistakes'} and may hide an entry: contextmd lint`]),
    ...(storeProblems.length === 0 ? [] : ['', ...storeProblems.map(({ message, cure }) => `${message} (${cure})`)]),
  ]
}

function rowLines({ rows }: Trial): readonly string[] {
  return rows.map(({ entry, title, outcome, bytes, item }) => {
    const size = bytes === 0 ? '' : `, ${bytes} bytes`
    return `${outcome.toUpperCase().replaceAll('_', ' ')}  ${entry}  "${title}"  (item ${item + 1}${size}): ${OUTCOMES[outcome]}`
  })
}

/** The answer as it goes out, key by key, and what stands in the notes that it names. */
function answerLines({ reply, answer, notes }: Trial, title: string): readonly string[] {
  if (reply.kind === 'nothing') return []
  if (answer.status === 204) return ['', `${title} takes no text here: its hook is answered with nothing.`]
  return [
    '',
    `${title} is answered:`,
    ...leaves(answer.body).flatMap(([key, value]) => [`  ${key}:`, ...indented(value)]),
    ...notes.flatMap(({ file, text }) => ['', `In ${file} stands then:`, ...indented(text.trimEnd())]),
  ]
}

/** Every value of a JSON object with the path to it. */
function leaves(body: object, above = ''): readonly (readonly [key: string, value: string])[] {
  return Object.entries(body).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? leaves(value, `${above}${key}.`) : [[`${above}${key}`, String(value)]],
  )
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  | ${line}`)
}

function missLine({ entry, item, failed }: NearMiss): string {
  return `  ${entry.id} (item ${item + 1})  ${conditionLine(failed)}`
}

export function momentTitle(moment: Moment): string {
  switch (moment.kind) {
    case 'prompt':
      return `prompt: ${short(moment.text)}`
    case 'session-start':
      return `session start (${moment.source})`
    case 'before-tool':
    case 'after-tool': {
      const { call } = moment
      const what = call.command ?? call.paths.map(({ path, access }) => `${access} ${path}`).join(', ')
      const state = moment.kind === 'after-tool' ? ` (${moment.result.state})` : ''
      return `${moment.kind === 'before-tool' ? 'before' : 'after'} ${call.tool}${what === '' ? '' : `: ${short(what)}`}${state}`
    }
    default:
      return moment.kind
  }
}

function short(text: string): string {
  return clipToBytes(oneLine(text), SEEN_BYTES)
}
