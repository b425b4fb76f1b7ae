/** Smaller questions about a harness: others' hooks, what the agent may read, what was missed. */
import type { HarnessName } from '../core/id.ts'
import type { HarnessFacts } from './facts.ts'
import type { Finding } from './finding.ts'

/**
 * What happens where another hook or plugin denies the same call, as measured on the real programs (G12). In none of them a rule is
 * lost for good: what did not arrive is judged hidden and served again.
 */
const COLLISION: Readonly<Record<HarnessName, string>> = {
  'claude-code': 'where one denies the same call, only the reason of the last to answer is shown; our text stands beside it and arrives',
  codex: 'where one denies the same call, only the reason of the first in the file is shown; our text stands beside it and arrives',
  grok: 'hooks run one after the other, and the first deny ends it: where one denies before ours, ours is not asked; behind ours, its deny drops our text, which is served again',
  opencode: 'of two plugins that stop a call only the one that was loaded first is asked; ours holds the next attempt',
}

export function checkOthers({ harness, others }: HarnessFacts): readonly Finding[] {
  if (others.length === 0) return []
  const where = others.map(({ file, count }) => `${count} in ${file}`).join(', ')
  return [{ id: 'others', harness, level: 'note', what: `others stand beside ours (${where}): ${COLLISION[harness]}`, cure: '' }]
}

export function checkReadable({ harness, setups, unreadable }: HarnessFacts): readonly Finding[] {
  if (!setups.some(({ isThere }) => isThere)) return []
  if (unreadable.length === 0) return [{ id: 'notes', harness, level: 'ok', what: 'the agent may read stores and notes', cure: '' }]
  return unreadable.map((what) => ({
    id: 'notes',
    harness,
    level: 'warn',
    what,
    cure: 'Allow it: a held call names a file to read, and lifts unproven where that can not be done.',
  }))
}

const WHY: Readonly<Record<string, string>> = {
  'timed-out':
    'Hooks that time out let their call pass. Look whether the machine is busy; CONTEXTMD_HOOK_TIMEOUT=5 at setup gives them more time.',
  refused: 'The server was not running, or refused the token.',
  'bad-answer': 'Something else answered in its place: another program on the port, or a wrapper around the hook.',
  cancelled: 'The harness gave the hooks up: the person interrupted, or the harness did.',
  starting: '',
  'ran-although-denied': 'A call ran although it was denied. Report it with the version of the harness.',
}

/** Each start by a hook has some: nothing is to be done about them. */
const STARTING = 'starting: a hook had just started the server'

/** `days`: of the count. */
export function checkMissed({ harness, missed }: HarnessFacts, days: number): readonly Finding[] {
  if (missed === null) return []
  const causes = Object.entries(missed).filter(([, count]) => count > 0)
  if (causes.length === 0)
    return [{ id: 'missed', harness, level: 'ok', what: `no moment was missed in ${days} days, as far as it is told`, cure: '' }]
  return causes.map(([cause, count]) => ({
    id: 'missed',
    harness,
    level: cause === 'starting' ? 'note' : 'warn',
    what: `${count} ${count === 1 ? 'moment' : 'moments'} passed without us in ${days} days (${cause === 'starting' ? STARTING : cause})`,
    cure: WHY[cause] ?? '',
  }))
}
