import type { PostgresStore } from '@troupe/store-postgres'

/**
 * Tables of the tasks, in the schema of the store. Entry n creates version n + 1. Never edit a released entry;
 * add a new one. `{schema}` stands for the quoted PostgreSQL schema.
 */
const MIGRATIONS: readonly string[] = [
  // `trees` has one row per run tree. Its lock makes suspending, deciding and cancelling one at a time.
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

/** Creates or updates the tables of the tasks. Several processes may do so at once. */
export async function migrateTasks(store: Pick<PostgresStore, 'schema' | 'transaction'>): Promise<void> {
  const { schema } = store
  await store.transaction(async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('troupe tasks ' || $1, 0))`, [schema])
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
  })
}
