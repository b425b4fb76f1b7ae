/** Did a test moment come back through the installed hook, as the harness would read it? (S5, S6, S9, S11, S12) */
import type { HarnessFacts, ProbeFacts } from './facts.ts'
import type { Finding, Level } from './finding.ts'

export function checkProbes({ harness, profile, probes }: HarnessFacts): readonly Finding[] {
  return probes.map((probe) => ({ id: 'test-moment', harness, ...said(probe, profile.title, harness) }))
}

function said({ way, events, outcome }: ProbeFacts, title: string, harness: string): { level: Level; what: string; cure: string } {
  const hook = events.length === 0 ? `the ${way}` : `the ${way} (${events.length === 1 ? events[0] : `${events.length} events`})`
  const again = `contextmd setup ${harness}`
  switch (outcome.state) {
    case 'answered':
      return { level: 'ok', what: `a test moment went through ${hook} and came back in ${Math.round(outcome.ms)} ms`, cure: '' }
    case 'silent':
      return {
        level: 'bad',
        what: `a test moment got no answer through ${hook}`,
        cure: `The hook could not post, or was refused: the findings beside this one say why. Then: ${again}`,
      }
    case 'garbled':
      return {
        level: 'bad',
        what: `${hook} prints something else beside the answer, so ${title} takes none of it`,
        cure: `A wrapper or a shell profile prints into it; take that out. If the script was changed: ${again}`,
      }
    case 'misunderstood':
      return {
        level: 'bad',
        what: `the server understood the event of ${hook} in another way: ${outcome.text}`,
        cure: 'The server and this program are of different versions: start the server anew.',
      }
    case 'late':
      return {
        level: 'bad',
        what: `${hook} gave no answer in ${outcome.limitMs} ms: ${title} goes on without it`,
        cure: 'Look whether the machine is busy; CONTEXTMD_HOOK_TIMEOUT=5 at setup gives hooks more time.',
      }
    case 'failed':
      return failedHook(hook, outcome.exitCode, outcome.why, again)
    case 'refused':
      return { level: 'bad', what: `the server refused ${hook}: ${outcome.why} (${outcome.status})`, cure: again }
    case 'skipped':
      return { level: 'note', what: `no test moment was sent through ${hook}: ${outcome.why}`, cure: '' }
    default:
      return outcome satisfies never
  }
}

/** 2 is taken for a deny: every call would be refused (S11). */
function failedHook(hook: string, exitCode: number | null, why: string, again: string): { level: Level; what: string; cure: string } {
  const what = `${hook} ended with ${exitCode === null ? 'a signal' : `code ${exitCode}`}${why === '' ? '' : `: ${why}`}`
  return { level: 'bad', what: exitCode === 2 ? `${what}. The harness takes that for a deny of every call` : what, cure: again }
}
