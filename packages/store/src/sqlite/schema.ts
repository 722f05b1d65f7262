import { addRootRunFacts, type Migration } from './add-root-run-facts.ts'

/** Marks a database file as a store of runs: the bytes `TRUP`. */
export const APPLICATION_ID = 0x54_52_55_50

/**
 * Migrations: entry n creates version n + 1. Never edit a released entry; add a new one. The columns
 * `has_blobs`, `events_have_blobs` and `steps_have_blobs` mark rows with extracted texts in `blobs`;
 * `events_sum` and `steps_sum` hold the checksums of `piece-checksum.ts`.
 */
export const MIGRATIONS: readonly Migration[] = [
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
  // One row per commit and run tree, instead of one per event and step. Rows are in commit order, so that
  // concurrent writes of many run trees are adjacent.
  `
  CREATE TABLE pieces (
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    last_seq INTEGER NOT NULL,
    events TEXT NOT NULL,
    events_have_blobs INTEGER NOT NULL,
    steps TEXT,
    steps_have_blobs INTEGER NOT NULL
  ) STRICT;
  INSERT INTO pieces (root, last_seq, events, events_have_blobs, steps_have_blobs)
    SELECT root, seq, '[' || data || ']', has_blobs, 0 FROM events ORDER BY root, seq;
  INSERT INTO pieces (root, last_seq, events, events_have_blobs, steps, steps_have_blobs)
    SELECT steps.root, roots.last_seq, '[]', 0,
      '[[' || json_quote(run_id) || ',' || json_quote(key) || ',' || data || ']]', has_blobs
    FROM steps JOIN roots ON roots.id = steps.root;
  CREATE INDEX pieces_by_root ON pieces (root, last_seq);
  DROP TABLE events;
  DROP TABLE steps;
  `,
  // existing rows have no checksum and are not verified
  `
  ALTER TABLE pieces ADD COLUMN events_sum INTEGER;
  ALTER TABLE pieces ADD COLUMN steps_sum INTEGER;
  `,
  addRootRunFacts,
]

/** The schema version of this release. */
export const SCHEMA_VERSION: number = MIGRATIONS.length
