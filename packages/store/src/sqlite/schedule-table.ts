import type { DatabaseSync } from 'node:sqlite'
import { MAX_FIRINGS, type Firing, type ScheduleTable } from '@troupe/schema/ports'
import type { Transact } from './transactor.ts'

interface FiringRow {
  readonly schedule: string
  readonly due: number
  readonly run_id: string
  readonly state: Firing['state']
}

/**
 * Prepares the statements of the table of schedules once. `transact` runs writes, `read` runs reads and
 * converts what they throw.
 */
export function createScheduleTable(
  database: DatabaseSync,
  { transact, read }: { readonly transact: Transact; read<T>(work: () => T): T },
): ScheduleTable {
  const list = database.prepare('SELECT name, definition, paused, handled_until FROM schedules ORDER BY name')
  const register = database.prepare(
    `INSERT INTO schedules (name, definition, handled_until) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, handled_until = excluded.handled_until
     WHERE definition <> excluded.definition`,
  )
  const exists = database.prepare('SELECT 1 FROM schedules WHERE name = ?')
  const pause = database.prepare('UPDATE schedules SET paused = 1 WHERE name = ? AND paused = 0')
  const resume = database.prepare(
    'UPDATE schedules SET paused = 0, handled_until = ? WHERE name = ? AND paused = 1',
  )
  const insert = database.prepare(
    `INSERT INTO firings (schedule, due, run_id, state, claimed_at) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT DO NOTHING`,
  )
  const handle = database.prepare('UPDATE schedules SET handled_until = max(handled_until, ?) WHERE name = ?')
  const removeOld = database.prepare(
    `DELETE FROM firings WHERE schedule = ?1 AND state NOT IN ('waiting', 'claimed') AND due <= (
       SELECT due FROM firings WHERE schedule = ?1 AND state NOT IN ('waiting', 'claimed')
       ORDER BY due DESC LIMIT 1 OFFSET ${MAX_FIRINGS})`,
  )
  const claim = database.prepare(
    `UPDATE firings SET state = 'claimed', owner = ?3, claimed_at = ?4
     WHERE schedule = ?1 AND due = ?2 AND state IN ('waiting', 'claimed') AND NOT EXISTS (
       SELECT 1 FROM firings WHERE schedule = ?1 AND state = 'claimed' AND claimed_at >= ?5)`,
  )
  const settle = database.prepare(
    `UPDATE firings SET state = ? WHERE schedule = ? AND due = ? AND owner = ? AND state = 'claimed'`,
  )
  const select = database.prepare(
    `SELECT schedule, due, run_id, state FROM firings
     WHERE (?1 IS NULL OR schedule = ?1) AND state IN (SELECT value FROM json_each(?2))
     ORDER BY due DESC, schedule LIMIT ?3`,
  )
  return {
    list: () =>
      read(() =>
        list.all().map((row) => ({
          name: String(row['name']),
          definition: String(row['definition']),
          isPaused: row['paused'] === 1,
          handledUntil: Number(row['handled_until']),
        })),
      ),
    register: ({ name, definition, now }) => transact(() => void register.run(name, definition, now)),
    setPaused: (name, isPaused, now) =>
      transact(() => {
        if (isPaused) pause.run(name)
        else resume.run(now, name)
        return exists.get(name) !== undefined
      }),
    add: (name, firings, handledUntil = 0) =>
      transact(() => {
        for (const { due, runId, state } of firings) insert.run(name, due, runId, state)
        handle.run(handledUntil, name)
        removeOld.run(name)
      }),
    claim: ({ schedule, due }, { owner, now, expiredBefore }) =>
      transact(() => claim.run(schedule, due, owner, now, expiredBefore).changes === 1),
    settle: ({ schedule, due }, owner, state) => transact(() => void settle.run(state, schedule, due, owner)),
    firings: ({ schedule = null, states = ALL_STATES, limit }) =>
      read(() =>
        (select.all(schedule, JSON.stringify(states), limit) as unknown as FiringRow[]).map(toFiring),
      ),
  }
}

const ALL_STATES: readonly Firing['state'][] = ['waiting', 'claimed', 'started', 'skipped', 'failed']

function toFiring({ schedule, due, run_id: runId, state }: FiringRow): Firing {
  return { schedule, due, runId, state }
}
