/** A place for steps that are committed and wait to be put into their tables, many together. */
import type { Migration } from './migration.ts'

export const backlog: Migration = {
  number: 4,
  sql: `
    CREATE TABLE IF NOT EXISTS backlog (
      number INTEGER PRIMARY KEY,
      steps  TEXT NOT NULL
    ) STRICT;
  `,
}
