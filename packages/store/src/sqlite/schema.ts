import type { DatabaseSync } from 'node:sqlite'
import type { EventDraft } from '@troupe/schema'
import { factsOf, type RootRunFacts, type StoreDetail } from '@troupe/schema/ports'
import { createBlobs, unpackPayload } from './payload.ts'

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
  `
  CREATE TABLE schedules (
    name TEXT PRIMARY KEY,
    definition TEXT NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0,
    handled_until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE firings (
    schedule TEXT NOT NULL,
    due INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT,
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (schedule, due)
  ) STRICT, WITHOUT ROWID;
  `,
  // the note is JSON text, because a text column does not keep lone surrogates
  `
  ALTER TABLE roots ADD COLUMN label TEXT;
  ALTER TABLE roots ADD COLUMN label_note TEXT;
  CREATE INDEX roots_by_label ON roots (principal, label) WHERE label IS NOT NULL;
  `,
  // the name is JSON text, like the note of a label
  `
  CREATE TABLE sessions (
    principal TEXT NOT NULL,
    session TEXT NOT NULL,
    name TEXT,
    archived INTEGER,
    branch_session TEXT,
    branch_run TEXT,
    PRIMARY KEY (principal, session)
  ) STRICT, WITHOUT ROWID;
  `,
]

/** The schema version of this release. */
export const SCHEMA_VERSION: number = MIGRATIONS.length

/** A migration from one schema version to the next: SQL statements, or a function. */
type Migration = string | ((database: DatabaseSync) => void)

const COLUMNS = `
  ALTER TABLE roots ADD COLUMN agent TEXT;
  ALTER TABLE roots ADD COLUMN outcome TEXT;
  ALTER TABLE roots ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE roots ADD COLUMN search TEXT;
`
// every index ends with the row id, which is the order of the list
const INDEXES = `
  CREATE INDEX roots_by_principal ON roots (principal);
  CREATE INDEX roots_by_agent ON roots (principal, agent);
  CREATE INDEX roots_by_outcome ON roots (principal, outcome);
`

/**
 * Adds the columns that root runs are listed by, and fills them from the first and the last event of each.
 */
function addRootRunFacts(database: DatabaseSync): void {
  database.exec(COLUMNS)
  const read = createFactsReader(database)
  const update = database.prepare(
    'UPDATE roots SET agent = ?, outcome = ?, asked = ?, search = ? WHERE id = ?',
  )
  for (const row of database.prepare('SELECT id, detail FROM roots').all()) {
    const id = Number(row['id'])
    const {
      agent = null,
      outcome = null,
      hasApprovalRequests = false,
      search = null,
    } = read(id, row['detail'] as StoreDetail)
    update.run(agent, outcome, hasApprovalRequests ? 1 : 0, search, id)
  }
  database.exec(INDEXES)
}

/**
 * Returns a function that reads the listing properties of a root run from its events. Ignores damaged events.
 */
function createFactsReader(database: DatabaseSync): (root: number, detail: StoreDetail) => RootRunFacts {
  const select = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT events AS data, events_have_blobs AS blobs FROM pieces WHERE root = ? AND events <> '[]' ORDER BY last_seq ${order}, id ${order} LIMIT 1`,
    )
  const first = select('ASC')
  const last = select('DESC')
  const selectApprovalRequest = database.prepare(
    `SELECT 1 FROM pieces WHERE root = ? AND instr(events, '"type":"approval-request"') > 0 LIMIT 1`,
  )
  const blobs = createBlobs(database)
  const eventsOf = (row: ReturnType<typeof first.get>): readonly EventDraft[] => {
    if (row === undefined) return []
    try {
      const payload = { data: String(row['data']), hasBlobs: row['blobs'] === 1 }
      return unpackPayload(payload, blobs.text) as unknown as readonly EventDraft[]
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return []
      throw thrown
    }
  }
  return (root, detail) => {
    const ends = [eventsOf(first.get(root)).at(0), eventsOf(last.get(root)).at(-1)]
    const facts = ends.map((event) => (event === undefined ? {} : factsOf(event, detail)))
    return Object.assign(
      {},
      ...facts,
      selectApprovalRequest.get(root) === undefined ? {} : { hasApprovalRequests: true },
    ) as RootRunFacts
  }
}
