/** Marks a database file as a store of runs: the bytes `TRUP`. */
export const APPLICATION_ID = 0x54_52_55_50

/**
 * What brings a store from each version to the next: entry n makes version n + 1. Never edited once released; a change is a new entry.
 * `events.has_blobs` and `steps.has_blobs` say that long texts of `data` are kept in `blobs`.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE roots (
    id INTEGER PRIMARY KEY,
    root_run_id TEXT NOT NULL UNIQUE,
    detail TEXT NOT NULL,
    last_seq INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL,
    fence INTEGER NOT NULL DEFAULT 0,
    token TEXT,
    owner TEXT,
    pid INTEGER,
    host TEXT,
    lease_until INTEGER
  ) STRICT;
  CREATE TABLE events (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    has_blobs INTEGER NOT NULL,
    PRIMARY KEY (root, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE steps (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    data TEXT NOT NULL,
    has_blobs INTEGER NOT NULL,
    PRIMARY KEY (root, run_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE blob_uses (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES blobs (hash),
    PRIMARY KEY (root, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_uses_by_hash ON blob_uses (hash);
  `,
  `
  ALTER TABLE roots ADD COLUMN session TEXT;
  ALTER TABLE roots ADD COLUMN principal TEXT;
  UPDATE roots SET principal = 'local', session = (
    SELECT json_extract(data, '$.sessionId') FROM events WHERE events.root = roots.id AND seq = 1 AND type = 'run-start'
  );
  CREATE INDEX roots_by_session ON roots (principal, session);
  `,
]

/** The version that this code writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length
