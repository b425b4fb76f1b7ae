/**
 * Who owns the state, as it stands in the file itself.
 *
 * The lock keeps a second owner away. Should somebody delete the lock, a second one opens the same file: it writes a word of its own there
 * before it reads anything, and the first one finds at its next transaction that the word is not its own. So what the first one has
 * committed is all there when the second begins, and nothing of it comes after: neither loses, deletes or overwrites a row of the other.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Name of the setting that holds the owner's word. */
const OWNER = 'owner'

export interface Ownership {
  /** To be asked within a transaction that may write. */
  isOurs(): boolean
}

/** Writes our word, in a transaction of its own. Throws what SQLite throws: a file that can't be written is found here. */
export function takeOwnership(
  database: DatabaseSync,
  statements: Readonly<Record<'begin' | 'commit' | 'setting' | 'putSetting', StatementSync>>,
): Ownership {
  const word = randomUUID()
  statements.begin.run()
  statements.putSetting.run(OWNER, word)
  statements.commit.run()
  return { isOurs: () => statements.setting.get(OWNER)?.['value'] === word }
}
