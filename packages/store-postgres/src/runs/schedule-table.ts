import type { PoolClient } from 'pg'
import { MAX_FIRINGS, type Firing, type ScheduleTable } from '@troupe/schema/ports'
import { fromColumn, toColumn } from '../connection/database.ts'
import type { Database } from '../connection/database.ts'

interface ScheduleRow {
  readonly name: string
  readonly definition: string
  readonly paused: boolean
  readonly handled_until: string
}

interface FiringColumns {
  readonly schedule: string
  readonly due: string
  readonly run_id: string
  readonly state: Firing['state']
}

/** Creates the table of schedules. Changes of the firings of one schedule are made one at a time. */
export function createScheduleTable(
  database: Database,
  guarded: <T>(work: () => Promise<T>) => Promise<T>,
): ScheduleTable {
  const { schema } = database

  /** Runs statements while no other process changes the firings of the schedule. */
  function change<T>(schedule: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    return guarded(() =>
      database.transaction(async (client) => {
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
          JSON.stringify([schema, 'schedule', schedule]),
        ])
        return work(client)
      }),
    )
  }

  return {
    list: () =>
      guarded(async () => {
        const rows = await database.query<ScheduleRow>(
          `SELECT name, definition, paused, handled_until FROM ${schema}.schedules ORDER BY name COLLATE "C"`,
        )
        return rows.map(({ name, definition, paused, handled_until: handledUntil }) => ({
          name: fromColumn(name),
          definition: fromColumn(definition),
          isPaused: paused,
          handledUntil: Number(handledUntil),
        }))
      }),
    register: ({ name, definition, now }) =>
      guarded(async () => {
        await database.query(
          `INSERT INTO ${schema}.schedules AS s (name, definition, handled_until) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, handled_until = excluded.handled_until
           WHERE s.definition <> excluded.definition`,
          [toColumn(name), toColumn(definition), now],
        )
      }),
    setPaused: (name, isPaused, now) =>
      guarded(async () => {
        const rows = await database.query(
          `UPDATE ${schema}.schedules SET paused = $2,
             handled_until = CASE WHEN paused AND NOT $2 THEN $3 ELSE handled_until END
           WHERE name = $1 RETURNING name`,
          [toColumn(name), isPaused, now],
        )
        return rows.length > 0
      }),
    add: (name, firings, handledUntil = 0) =>
      change(name, async (client) => {
        await client.query(
          `INSERT INTO ${schema}.firings (schedule, due, run_id, state)
           SELECT $1, due, run_id, state FROM unnest($2::bigint[], $3::text[], $4::text[]) AS f (due, run_id, state)
           ON CONFLICT DO NOTHING`,
          [
            toColumn(name),
            firings.map(({ due }) => due),
            firings.map(({ runId }) => toColumn(runId)),
            firings.map(({ state }) => state),
          ],
        )
        await client.query(
          `UPDATE ${schema}.schedules SET handled_until = greatest(handled_until, $2) WHERE name = $1`,
          [toColumn(name), handledUntil],
        )
        await client.query(
          `DELETE FROM ${schema}.firings WHERE schedule = $1 AND state NOT IN ('waiting', 'claimed') AND due <= (
             SELECT due FROM ${schema}.firings WHERE schedule = $1 AND state NOT IN ('waiting', 'claimed')
             ORDER BY due DESC LIMIT 1 OFFSET ${MAX_FIRINGS})`,
          [toColumn(name)],
        )
      }),
    claim: ({ schedule, due }, { owner, now, expiredBefore }) =>
      change(schedule, async (client) => {
        const { rowCount } = await client.query(
          `UPDATE ${schema}.firings SET state = 'claimed', owner = $3, claimed_at = $4
           WHERE schedule = $1 AND due = $2 AND state IN ('waiting', 'claimed') AND NOT EXISTS (
             SELECT 1 FROM ${schema}.firings WHERE schedule = $1 AND state = 'claimed' AND claimed_at >= $5)`,
          [toColumn(schedule), due, toColumn(owner), now, expiredBefore],
        )
        return rowCount === 1
      }),
    settle: ({ schedule, due }, owner, state) =>
      guarded(async () => {
        await database.query(
          `UPDATE ${schema}.firings SET state = $4
           WHERE schedule = $1 AND due = $2 AND owner = $3 AND state = 'claimed'`,
          [toColumn(schedule), due, toColumn(owner), state],
        )
      }),
    firings: ({ schedule, states, limit }) =>
      guarded(async () => {
        const rows = await database.query<FiringColumns>(
          `SELECT schedule, due, run_id, state FROM ${schema}.firings
           WHERE ($1::text IS NULL OR schedule = $1) AND ($2::text[] IS NULL OR state = ANY($2))
           ORDER BY due DESC, schedule COLLATE "C" LIMIT $3`,
          [schedule === undefined ? null : toColumn(schedule), states ?? null, limit],
        )
        return rows.map((row) => ({
          schedule: fromColumn(row.schedule),
          due: Number(row.due),
          runId: fromColumn(row.run_id),
          state: row.state,
        }))
      }),
  }
}
