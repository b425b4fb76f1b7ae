/**
 * What reports, threads, forgetting and filters of the log need: obedience, missed moments by day, counters of threads, and an index
 * for each way in which rows are looked for.
 */
import type { Migration } from './migration.ts'

export const reportsAndForgetting: Migration = {
  number: 2,
  columns: [
    { table: 'moments', name: 'holdout', definition: 'INTEGER NOT NULL DEFAULT 0' },
    { table: 'threads', name: 'thread', definition: 'TEXT' },
    { table: 'threads', name: 'runs', definition: 'INTEGER NOT NULL DEFAULT 0' },
    { table: 'threads', name: 'moments', definition: 'INTEGER NOT NULL DEFAULT 0' },
    { table: 'threads', name: 'denied', definition: 'INTEGER NOT NULL DEFAULT 0' },
    { table: 'threads', name: 'bytes', definition: 'INTEGER NOT NULL DEFAULT 0' },
  ],
  sql: `
    UPDATE threads SET
      thread  = state ->> '$.thread',
      runs    = coalesce(state ->> '$.runs', 0),
      moments = (SELECT count(*) FROM moments WHERE moments.thread = threads.state ->> '$.thread'),
      denied  = (SELECT count(*) FROM moments WHERE moments.thread = threads.state ->> '$.thread' AND outcome = 'denied'),
      bytes   = (SELECT coalesce(sum(moments.bytes), 0) FROM moments WHERE moments.thread = threads.state ->> '$.thread')
    WHERE thread IS NULL AND json_valid(state);

    CREATE TABLE IF NOT EXISTS obedience (
      number  INTEGER PRIMARY KEY,
      claim   TEXT,
      entry   TEXT NOT NULL,
      run     TEXT NOT NULL,
      context TEXT NOT NULL,
      verdict TEXT NOT NULL,
      at      REAL NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS obedience_by_claim ON obedience (claim) WHERE claim IS NOT NULL;
    CREATE UNIQUE INDEX IF NOT EXISTS obedience_withheld ON obedience (entry, run) WHERE claim IS NULL;
    CREATE INDEX IF NOT EXISTS obedience_by_context ON obedience (context);
    CREATE INDEX IF NOT EXISTS obedience_by_time ON obedience (at);

    CREATE TABLE IF NOT EXISTS missed (
      day     TEXT NOT NULL,
      harness TEXT NOT NULL,
      cause   TEXT NOT NULL,
      count   INTEGER NOT NULL,
      PRIMARY KEY (day, harness, cause)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX IF NOT EXISTS moments_by_harness ON moments (harness);
    CREATE INDEX IF NOT EXISTS moments_by_rarer_outcome ON moments (outcome) WHERE outcome <> 'nothing';
    CREATE INDEX IF NOT EXISTS moments_unjoined ON moments (session) WHERE thread IS NULL;
    CREATE INDEX IF NOT EXISTS contexts_by_time ON contexts (seen_at);
    CREATE INDEX IF NOT EXISTS threads_by_time ON threads (seen_at);
    CREATE INDEX IF NOT EXISTS threads_by_thread ON threads (thread);
    CREATE INDEX IF NOT EXISTS gates_by_context ON gates (context);
  `,
}
