/** Finds what is inconsistent in a state file: damage, rows without their partners, figures over the law. */
import { LANE_BYTES } from '../../core/budget.ts'
import type { Lane } from '../../core/claim.ts'
import type { ContextState } from '../../core/context.ts'
import type { Problem } from '../../core/problem.ts'
import { STATE_CURES } from '../../state.ts'
import { batchFrom } from './batch.ts'
import type { Connection } from './connection.ts'
import { contextFrom, threadFrom } from './decode.ts'

/** Damage is told in so many lines at most. */
const MAX_DAMAGE_LINES = 10

type Tell = (code: string, message: string) => void

export function check({ database, statements }: Pick<Connection, 'database' | 'statements'>, file: string): readonly Problem[] {
  const found: Problem[] = []
  const tell: Tell = (code, message) => found.push({ code, severity: 'error', message, cure: STATE_CURES.corrupt, file })

  for (const row of database.prepare(`PRAGMA quick_check(${MAX_DAMAGE_LINES})`).all()) {
    if (row['quick_check'] !== 'ok') tell('state_damaged', `The state file is damaged: ${String(row['quick_check'])}`)
  }
  for (const row of database.prepare(ORPHANS).all()) {
    tell('state_orphan_candidate', `Candidates are logged for moment ${String(row['moment'])}, which is not in the log.`)
  }
  for (const row of database.prepare(NEGATIVE).all()) {
    tell('state_negative_bytes', `Moment ${String(row['number'])} is logged with a negative number of bytes.`)
  }
  for (const row of database.prepare(LOOSE_OBEDIENCE).all()) {
    tell('state_orphan_obedience', `Obedience is logged for claim ${String(row['claim'])} of another entry than the log knows.`)
  }
  for (const row of database.prepare('SELECT id, state, open_claims FROM contexts').iterate()) {
    const state = contextFrom(row['state'])
    if (state === null) tell('state_unreadable_row', `The row of context ${String(row['id'])} can't be read.`)
    else checkContext(state, (claim) => statements.claimed.get(claim) !== undefined, Number(row['open_claims']), tell)
  }
  for (const row of database.prepare('SELECT session AS id, state FROM threads').iterate()) {
    if (threadFrom(row['state']) === null)
      tell('state_unreadable_row', `The row of the thread of session ${String(row['id'])} can't be read.`)
  }
  for (const row of statements.backlog.all()) {
    if (batchFrom(String(row['steps'])) === null) tell('state_unreadable_row', `Row ${String(row['number'])} of the backlog can't be read.`)
  }
  return found
}

const ORPHANS = 'SELECT DISTINCT moment FROM candidates WHERE NOT EXISTS (SELECT 1 FROM moments WHERE number = moment)'
const NEGATIVE = `
  SELECT number FROM moments WHERE bytes < 0
  UNION SELECT moment FROM candidates WHERE bytes < 0`

const LOOSE_OBEDIENCE = `
  SELECT obedience.claim AS claim FROM obedience JOIN candidates ON candidates.claim = obedience.claim
  WHERE candidates.entry <> obedience.entry`

function checkContext(state: ContextState, isLogged: (claim: string) => boolean, counted: number, tell: Tell): void {
  if (state.claims.length !== counted) {
    tell('state_miscounted', `Context ${state.id} holds ${state.claims.length} open claims, its row counts ${counted}.`)
  }
  for (const claim of state.claims) {
    if (!isLogged(claim.id)) tell('state_unlogged_claim', `Claim ${claim.id} is open in context ${state.id} and unknown in the log.`)
    if (claim.bytes < 0) tell('state_negative_bytes', `Claim ${claim.id} has a negative number of bytes.`)
  }
  for (const [sum, lane, bytes] of charged(state)) {
    if (bytes < 0) tell('state_negative_bytes', `The ${sum} of context ${state.id} is negative in the lane ${lane}.`)
    if (bytes > LANE_BYTES[lane]) tell('state_over_budget', `The ${sum} of context ${state.id} is ${bytes} bytes in the lane ${lane}.`)
  }
}

/** What is charged to a run and epoch: the budget's own figure, and what the open claims come to. */
function charged(state: ContextState): readonly (readonly [sum: string, lane: Lane, bytes: number])[] {
  const { budget } = state
  if (budget === null) return []
  const open = (lane: Lane): number =>
    state.claims
      .filter((claim) => claim.lane === lane && claim.run === budget.run && claim.epoch === budget.epoch)
      .reduce((sum, claim) => sum + claim.bytes, 0)
  return (['rules', 'router'] as const).flatMap((lane) => [
    ['budget', lane, budget[lane]] as const,
    ['sum of open claims', lane, open(lane)] as const,
  ])
}
