/** Contexts, threads, the log of moments with their candidates and gates, and settings. */
import type { Migration } from './migration.ts'

export const contextsAndLog: Migration = {
  number: 1,
  sql: `
    CREATE TABLE IF NOT EXISTS contexts (
      id          TEXT PRIMARY KEY,
      session     TEXT NOT NULL,
      state       TEXT NOT NULL,
      open_claims INTEGER NOT NULL,
      last_moment INTEGER,
      seen_at     REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS contexts_by_session ON contexts (session);
    CREATE INDEX IF NOT EXISTS contexts_with_open_claims ON contexts (id) WHERE open_claims > 0;

    CREATE TABLE IF NOT EXISTS threads (
      session TEXT PRIMARY KEY,
      state   TEXT NOT NULL,
      seen_at REAL NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS moments (
      number      INTEGER PRIMARY KEY,
      delivery    TEXT NOT NULL UNIQUE,
      context     TEXT NOT NULL,
      harness     TEXT NOT NULL,
      version     TEXT,
      session     TEXT NOT NULL,
      thread      TEXT,
      run         TEXT,
      joining     TEXT NOT NULL,
      kind        TEXT NOT NULL,
      event       TEXT NOT NULL,
      tool        TEXT,
      seq         INTEGER NOT NULL,
      epoch       INTEGER NOT NULL,
      wave        INTEGER NOT NULL,
      outcome     TEXT NOT NULL,
      why         TEXT,
      bytes       INTEGER NOT NULL,
      at          REAL NOT NULL,
      ms_total    REAL NOT NULL,
      ms_match    REAL NOT NULL,
      ms_evidence REAL NOT NULL,
      answer      TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS moments_by_thread ON moments (thread) WHERE thread IS NOT NULL;
    CREATE INDEX IF NOT EXISTS moments_by_time ON moments (at);
    CREATE INDEX IF NOT EXISTS moments_with_answer ON moments (at) WHERE answer IS NOT NULL;

    CREATE TABLE IF NOT EXISTS candidates (
      moment     INTEGER NOT NULL,
      position   INTEGER NOT NULL,
      entry      TEXT NOT NULL,
      entry_hash TEXT NOT NULL,
      outcome    TEXT NOT NULL,
      claim      TEXT,
      lane       TEXT NOT NULL,
      bytes      INTEGER NOT NULL,
      item       INTEGER NOT NULL,
      verdict    TEXT,
      verdict_at REAL,
      why        TEXT,
      PRIMARY KEY (moment, position)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS candidates_by_claim ON candidates (claim) WHERE claim IS NOT NULL;
    CREATE INDEX IF NOT EXISTS candidates_by_entry ON candidates (entry);
    CREATE INDEX IF NOT EXISTS candidates_by_outcome ON candidates (outcome);
    CREATE INDEX IF NOT EXISTS candidates_by_verdict ON candidates (verdict) WHERE verdict IS NOT NULL;

    CREATE TABLE IF NOT EXISTS gates (
      number  INTEGER PRIMARY KEY,
      moment  INTEGER,
      context TEXT NOT NULL,
      entry   TEXT NOT NULL,
      lift    TEXT NOT NULL,
      at      REAL NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS gates_by_moment ON gates (moment);

    CREATE TABLE IF NOT EXISTS settings (
      name  TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
