/** Joins the entries of several stores into one list: of equal ids one wins, and the loser is reported. */
import type { Entry } from '../core/entry.ts'
import type { EntryId } from '../core/id.ts'
import type { Problem } from '../core/problem.ts'

export interface Merged {
  readonly entries: readonly Entry[]
  readonly problems: readonly Problem[]
}

/** `stores` in the order in which they win: a project's own first, then as serving.json names them; within one, by path. */
export function mergeEntries(stores: readonly (readonly Entry[])[]): Merged {
  const winners = new Map<EntryId, Entry>()
  const problems: Problem[] = []
  for (const entry of stores.flat()) {
    const winner = winners.get(entry.id)
    if (winner === undefined) winners.set(entry.id, entry)
    else problems.push(shadowed(entry, winner))
  }
  return { entries: [...winners.values()], problems }
}

function shadowed(loser: Entry, winner: Entry): Problem {
  return {
    code: 'entry_shadowed',
    severity: 'warning',
    message: `the id "${loser.id}" is taken by ${winner.file}; this entry is not served`,
    cure: 'give one of them another `id`, or remove one',
    file: loser.file,
    key: 'id',
  }
}
