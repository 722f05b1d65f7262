import type { PoolClient } from 'pg'
import { troupeError } from '@troupe/schema'
import type { Database } from './database.ts'

/**
 * Migrations: entry n creates version n + 1 from version n. Never edit a released entry; add a new one.
 * `{schema}` stands for the quoted PostgreSQL schema.
 */
const MIGRATIONS: readonly string[] = [
  // Events are `json`, because `jsonb` refuses \u0000 and forgets the order of keys. Events and steps have no
  // foreign key: each row would check it, and `purge` deletes them in batches after their root run.
  `
  CREATE TABLE {schema}.roots (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    root_run_id text NOT NULL UNIQUE,
    detail text NOT NULL,
    session text,
    principal text,
    agent text,
    outcome text,
    asked boolean NOT NULL DEFAULT false,
    search text,
    last_seq bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50);
  CREATE INDEX roots_by_principal ON {schema}.roots (principal, id);
  CREATE INDEX roots_by_session ON {schema}.roots (principal, session, id);
  CREATE INDEX roots_by_agent ON {schema}.roots (principal, agent, id);
  CREATE INDEX roots_by_outcome ON {schema}.roots (principal, outcome, id);
  CREATE TABLE {schema}.events (
    root bigint NOT NULL,
    seq bigint NOT NULL,
    data json NOT NULL,
    PRIMARY KEY (root, seq)
  );
  CREATE TABLE {schema}.steps (
    root bigint NOT NULL,
    run_id text NOT NULL,
    key text NOT NULL,
    data json NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (root, run_id, key)
  );
  CREATE TABLE {schema}.leases (
    root bigint NOT NULL REFERENCES {schema}.roots (id) ON DELETE CASCADE,
    run_id text NOT NULL,
    fence bigint NOT NULL DEFAULT 0,
    appended bigint NOT NULL DEFAULT 0,
    last_seq bigint NOT NULL DEFAULT 0,
    token text,
    owner text,
    pid integer,
    host text,
    lease_until timestamptz,
    PRIMARY KEY (root, run_id)
  ) WITH (fillfactor = 50);
  CREATE INDEX leases_by_token ON {schema}.leases (token) WHERE token IS NOT NULL;
  CREATE TABLE {schema}.purged (root bigint PRIMARY KEY);
  `,
  `
  CREATE TABLE {schema}.schedules (
    name text PRIMARY KEY,
    definition text NOT NULL,
    paused boolean NOT NULL DEFAULT false,
    handled_until bigint NOT NULL
  );
  CREATE TABLE {schema}.firings (
    schedule text NOT NULL,
    due bigint NOT NULL,
    run_id text NOT NULL,
    state text NOT NULL,
    owner text,
    claimed_at bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (schedule, due)
  );
  CREATE INDEX firings_open ON {schema}.firings (due) WHERE state IN ('waiting', 'claimed');
  `,
  `
  ALTER TABLE {schema}.leases ADD COLUMN first_after bigint NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE {schema}.roots ADD COLUMN label text;
  ALTER TABLE {schema}.roots ADD COLUMN label_note text;
  CREATE INDEX roots_by_label ON {schema}.roots (principal, label, id) WHERE label IS NOT NULL;
  `,
  `
  CREATE TABLE {schema}.sessions (
    principal text NOT NULL,
    session text NOT NULL,
    name text,
    archived boolean,
    branch_session text,
    branch_run text,
    PRIMARY KEY (principal, session)
  );
  `,
]

const LOWEST_SERVER = 150_000

/**
 * Creates or updates the tables. Several processes may do so at once. Rejects with `store_newer` if a later
 * release wrote them, and with `store_unavailable` if the server is older than PostgreSQL 15.
 */
export async function migrate(database: Database): Promise<void> {
  const [server] = await database.query<{ version: string; number: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number`,
  )
  if (Number(server?.number) < LOWEST_SERVER)
    throw troupeError(
      'store_unavailable',
      `${database.name}: the server is PostgreSQL ${server?.version}, but version 15 or later is required.`,
      { fix: 'Update PostgreSQL.' },
    )
  let isDone = false
  while (!isDone) isDone = await database.transaction((client) => migrateOnce(client, database))
}

/** Applies the next migration. Returns true if there is none. */
async function migrateOnce(client: PoolClient, { schema, name }: Database): Promise<boolean> {
  // one process after the other; the lock ends with the transaction, so it may come from a pooled connection
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('troupe migrations ' || $1, 0))`, [
    schema,
  ])
  const { rows: found } = await client.query(`SELECT to_regclass($1) AS known`, [`${schema}.versions`])
  const version = (found as readonly { known: string | null }[])[0]?.known === null ? 0 : await read()
  if (version > MIGRATIONS.length)
    throw troupeError(
      'store_newer',
      `${name}: the store has version ${version}, but this release supports versions up to ${MIGRATIONS.length}.`,
    )
  const migration = MIGRATIONS[version]
  if (migration === undefined) return true
  if (version === 0) await createSchema(client, schema)
  await client.query(migration.replaceAll('{schema}', schema))
  await client.query(`INSERT INTO ${schema}.versions (version) VALUES ($1)`, [version + 1])
  return false

  async function read(): Promise<number> {
    const { rows } = await client.query<{ version: number }>(
      `SELECT coalesce(max(version), 0) AS version FROM ${schema}.versions`,
    )
    return rows[0]?.version ?? 0
  }
}

async function createSchema(client: PoolClient, schema: string): Promise<void> {
  // `IF NOT EXISTS` requires the right to create schemas even if it exists
  const { rows } = await client.query<{ known: string | null }>('SELECT to_regnamespace($1) AS known', [
    schema,
  ])
  if (rows[0]?.known === null) await client.query(`CREATE SCHEMA ${schema}`)
  await client.query(
    `CREATE TABLE ${schema}.versions (version integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now())`,
  )
}
