import { Client, type PoolClient } from 'pg'
import { troupeError, type Clock } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { migrateQueues } from './run-queues.ts'

/**
 * Tables of the tasks, in the schema of the store. Entry n creates version n + 1. Never edit a released entry;
 * add a new one. `{schema}` stands for the quoted PostgreSQL schema.
 */
const MIGRATIONS: readonly string[] = [
  // `trees` has one row per run tree. Its lock makes suspending, deciding and cancelling one at a time.
  // `budgets` has one row per run with a cap, and one with an empty run id for the budget of the root run: the
  // amounts of the run and all below it. `budget_shares` has one row per run that such a cap applies to: the
  // amounts of the run itself, which are part of each of its budgets.
  `
  CREATE TABLE {schema}.trees (
    root_run_id text PRIMARY KEY,
    max_runs integer NOT NULL,
    runs integer NOT NULL DEFAULT 1
  ) WITH (fillfactor = 50);
  CREATE TABLE {schema}.tasks (
    run_id text PRIMARY KEY,
    root_run_id text NOT NULL REFERENCES {schema}.trees (root_run_id) ON DELETE CASCADE,
    parent_run_id text,
    depth integer NOT NULL,
    partition text NOT NULL,
    request json NOT NULL,
    tree json,
    state text NOT NULL DEFAULT 'queued',
    execution integer NOT NULL DEFAULT 1,
    starts integer NOT NULL DEFAULT 0,
    cancelled boolean NOT NULL DEFAULT false,
    waits_for text[] NOT NULL DEFAULT '{}',
    failure json,
    worker text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
  ) WITH (fillfactor = 50);
  CREATE INDEX tasks_by_root ON {schema}.tasks (root_run_id);
  CREATE INDEX tasks_by_parent ON {schema}.tasks (parent_run_id);
  CREATE INDEX tasks_by_state ON {schema}.tasks (state, created_at) WHERE state <> 'ended';
  CREATE INDEX tasks_ended ON {schema}.tasks (ended_at) WHERE parent_run_id IS NULL AND state = 'ended';
  CREATE TABLE {schema}.decisions (
    approval_id text PRIMARY KEY,
    root_run_id text NOT NULL REFERENCES {schema}.trees (root_run_id) ON DELETE CASCADE,
    run_id text NOT NULL,
    decision json NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX decisions_by_run ON {schema}.decisions (run_id);
  CREATE INDEX decisions_by_root ON {schema}.decisions (root_run_id);
  CREATE TABLE {schema}.budgets (
    root_run_id text NOT NULL REFERENCES {schema}.trees (root_run_id) ON DELETE CASCADE,
    run_id text NOT NULL,
    used_tokens bigint NOT NULL,
    used_micros bigint NOT NULL,
    reserved_tokens bigint NOT NULL DEFAULT 0,
    reserved_micros bigint NOT NULL DEFAULT 0,
    aside_tokens bigint NOT NULL DEFAULT 0,
    aside_micros bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (root_run_id, run_id)
  ) WITH (fillfactor = 50);
  CREATE TABLE {schema}.budget_shares (
    run_id text PRIMARY KEY,
    root_run_id text NOT NULL REFERENCES {schema}.trees (root_run_id) ON DELETE CASCADE,
    caps json NOT NULL,
    budget_ids text[] NOT NULL,
    start integer NOT NULL,
    changes integer NOT NULL DEFAULT 0,
    used_tokens bigint NOT NULL,
    used_micros bigint NOT NULL,
    reserved_tokens bigint NOT NULL DEFAULT 0,
    reserved_micros bigint NOT NULL DEFAULT 0,
    aside_tokens bigint NOT NULL DEFAULT 0,
    aside_micros bigint NOT NULL DEFAULT 0,
    ticket bigint,
    blocks text[] NOT NULL DEFAULT '{}'
  ) WITH (fillfactor = 50);
  CREATE INDEX budget_shares_by_root ON {schema}.budget_shares (root_run_id);
  CREATE INDEX budget_shares_waiting ON {schema}.budget_shares (root_run_id, ticket) WHERE ticket IS NOT NULL;
  CREATE SEQUENCE {schema}.budget_tickets;
  CREATE TABLE {schema}.workers (
    id text PRIMARY KEY,
    host text NOT NULL,
    pid integer NOT NULL,
    slots integer NOT NULL,
    running integer NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
  );
  `,
]

/** Delay in ms between two attempts to take the lock, and their number. */
const RETRY_MS = 100
const ATTEMPTS = 600

/**
 * Creates or updates the tables of the tasks and the queues. Several processes may call it at once: one does the
 * work, and the others wait for it.
 */
export async function migrateTasks(
  store: Pick<PostgresStore, 'schema' | 'transaction'>,
  { url, clock }: { readonly url: string; readonly clock: Clock },
): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await lockSchema(client, store.schema, clock)
    await migrateQueues(url)
    await store.transaction((connection) => migrateTables(connection, store.schema))
  } finally {
    await client.end()
  }
}

/**
 * Takes the lock of the schema until the connection ends. A statement that waits for the lock would have a
 * snapshot, for which the migrations of DBOS would wait in turn, so the lock is tried at an interval.
 */
async function lockSchema(client: Client, schema: string, clock: Clock): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('troupe tasks ' || $1, 0)) AS taken`,
      [schema],
    )
    if (rows[0]?.taken === true) return
    await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve))
  }
  throw troupeError(
    'store_locked',
    'Another process has been updating the tables of the tasks for a minute.',
    {
      fix: 'Start the process again when the other one has finished.',
    },
  )
}

async function migrateTables(client: PoolClient, schema: string): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.task_versions (version integer PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now())`,
  )
  const { rows } = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${schema}.task_versions`,
  )
  const version = rows[0]?.version ?? 0
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue
    await client.query(migration.replaceAll('{schema}', schema))
    await client.query(`INSERT INTO ${schema}.task_versions (version) VALUES ($1)`, [index + 1])
  }
}
