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
  readonly misses: readonly NearMiss[]
  /** Files of entries with a mistake. */
  readonly broken: number
  /** Of stores as a whole: what is not served, and why. */
  readonly storeProblems: readonly Problem[]
  readonly entries: number
}

/** One line on a screen. */
const SEEN_BYTES = 100

export function trialLines({ moment, project, trial, misses, broken, storeProblems, entries }: Shown): readonly string[] {
  return [
    `${momentTitle(moment)}   (project ${project.root})`,
    '',
    ...(trial.rows.length === 0 ? [`Nothing would be served: none of ${entries} entries matches.`] : rowLines(trial)),
    ...replyLines(trial),
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

function replyLines({ reply }: Trial): readonly string[] {
  switch (reply.kind) {
    case 'nothing':
      return []
    case 'serve':
      return ['', 'The agent gets:', ...indented(reply.text)]
    case 'deny':
      return [
        '',
        'The call is denied. The agent gets as reason:',
        ...indented(reply.reason),
        ...(reply.text === '' ? [] : ['and beside it:', ...indented(reply.text)]),
      ]
    default:
      return reply satisfies never
  }
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
