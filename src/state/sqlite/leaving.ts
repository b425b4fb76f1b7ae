/**
 * Two ways to close a database: to end, with its log written back and removed, or to leave, with every file as it is.
 *
 * The last connection to a file writes its log back when it is closed, and deletes the file that bears the log's name
 * (sqlite.org/wal.html). Where the log was deleted under us and another process has the file by now, both would harm what that one wrote. So
 * there is a second connection, which can't write: closed after the first one, it leaves all as it is.
 */
import { DatabaseSync } from 'node:sqlite'

export interface Leaving {
  end(): void
  leave(): void
}

/** `database` has its log open. Throws what SQLite throws; then `database` is as it was. */
export function openLeaving(file: string, database: DatabaseSync): Leaving {
  const bystander = new DatabaseSync(file, { readOnly: true })
  try {
    // it counts as a connection once it has opened the log, at its first question
    bystander.exec('SELECT 1 FROM sqlite_schema LIMIT 1')
  } catch (thrown) {
    bystander.close()
    throw thrown
  }
  return {
    end() {
      bystander.close()
      database.close()
    },
    leave() {
      database.close()
      bystander.close()
    },
  }
}
