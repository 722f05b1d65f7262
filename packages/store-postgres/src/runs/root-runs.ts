import { setImmediate as turn } from 'node:timers/promises'
import { troupeError, type Json, type RunEvent } from '@troupe/schema'
import {
  runUnknownError,
  type RootRunFilter,
  type RootRunQuery,
  type RootRunRecord,
  type RunLabel,
  type StoreDetail,
} from '@troupe/schema/ports'
import { fromColumn, toColumn, toSearchColumn, type Database } from '../connection/database.ts'
import { LEASE_COLUMNS, type HolderReader, type LeaseColumns } from './leases.ts'

/** Reads and deletes stored run trees. Methods reject with the errors of `pg`. */
export interface RootRuns {
  roots(filter?: RootRunFilter): Promise<readonly RootRunRecord[]>
  list(query: RootRunQuery): Promise<readonly RootRunRecord[]>
  events(
    rootRunId: string,
    range: { readonly after: number; readonly limit?: number | undefined },
  ): Promise<readonly RunEvent[]>
  steps(rootRunId: string, runId: string): Promise<ReadonlyMap<string, Json>>
  /** Returns the `seq` of the last event of each run tree, for those that exist. */
  lastSeqs(rootRunIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Sets or removes the label of a root run. Returns false if the store does not have it. */
  setLabel(rootRunId: string, label: RunLabel | undefined): Promise<boolean>
  sizes(): Promise<ReadonlyMap<string, number>>
  purge(rootRunIds: readonly string[]): Promise<number>
}

interface RootRunColumns extends LeaseColumns {
  readonly root_run_id: string
  readonly detail: StoreDetail
  readonly session: string | null
  readonly principal: string | null
  readonly last_seq: string
  readonly changed_at: string
  readonly label: RunLabel['value'] | null
  readonly label_note: string | null
}

const COLUMNS = `r.root_run_id, r.detail, r.session, r.principal, r.last_seq, r.label, r.label_note,
  floor(extract(epoch FROM r.changed_at) * 1000) AS changed_at, ${LEASE_COLUMNS}`

/** Number of root runs whose texts one statement searches, so that an aborted search ends soon. */
const SEARCHED = 20_000
/** Number of rows that one statement deletes, so that other statements do not wait for long. */
const DELETED = 10_000

/** Creates the readers of a store. */
export function createRootRuns(
  database: Database,
  { holderOf }: { readonly holderOf: HolderReader },
): RootRuns {
  const { schema } = database
  const from = `FROM ${schema}.roots r LEFT JOIN ${schema}.leases l ON l.root = r.id AND l.run_id = r.root_run_id`

  function toRecord(row: RootRunColumns): RootRunRecord {
    const rootRunId = fromColumn(row.root_run_id)
    const owner = holderOf(row, { rootRunId, runId: rootRunId })
    const { session, principal, label, label_note: note } = row
    return {
      rootRunId,
      open: owner !== undefined,
      changedAt: Number(row.changed_at),
      lastSeq: Number(row.last_seq),
      detail: row.detail,
      ...(session === null || principal === null
        ? {}
        : { session: { sessionId: fromColumn(session), principal: fromColumn(principal) } }),
      ...(owner === undefined ? {} : { owner }),
      ...(label === null
        ? {}
        : { label: { value: label, ...(note === null ? {} : { note: fromColumn(note) }) } }),
    }
  }

  /** Returns the row id below which a page starts. */
  async function startOf({ before, principal }: RootRunQuery): Promise<number> {
    if (before === undefined) {
      const [last] = await database.query<{ id: string | null }>(`SELECT max(id) AS id FROM ${schema}.roots`)
      return Number(last?.id ?? 0) + 1
    }
    const [row] = await database.query<{ id: string; principal: string | null }>(
      `SELECT id, principal FROM ${schema}.roots WHERE root_run_id = $1`,
      [toColumn(before)],
    )
    if (row === undefined || (principal !== undefined && row.principal !== toColumn(principal)))
      throw runUnknownError(before)
    return Number(row.id)
  }

  async function list(query: RootRunQuery): Promise<readonly RootRunRecord[]> {
    const { conditions, values } = conditionsOf(query)
    const found: RootRunRecord[] = []
    let end = await startOf(query)
    while (end > 1 && found.length < query.limit) {
      // only texts have no index
      const start = query.text === undefined ? 0 : Math.max(0, end - SEARCHED)
      const n = values.length
      const rows = await database.query<RootRunColumns>(
        `SELECT ${COLUMNS} ${from} WHERE ${[...conditions, `r.id < $${n + 1}`, `r.id >= $${n + 2}`].join(' AND ')}
         ORDER BY r.id DESC LIMIT $${n + 3}`,
        [...values, end, start, query.limit - found.length],
      )
      found.push(...rows.map(toRecord))
      query.signal?.throwIfAborted()
      end = start
    }
    return found
  }

  /** Deletes the rows of run trees whose root run is deleted, also those that an ended process left. */
  async function deletePurged(): Promise<void> {
    for (;;) {
      const [purged] = await database.query<{ root: string }>(`SELECT root FROM ${schema}.purged LIMIT 1`)
      if (purged === undefined) return
      for (const table of ['events', 'steps']) await deleteRows(`${schema}.${table}`, purged.root)
      await database.query(`DELETE FROM ${schema}.purged WHERE root = $1`, [purged.root])
    }
  }

  async function deleteRows(table: string, root: string): Promise<void> {
    for (;;) {
      const [result] = await database.query<{ count: string }>(
        `WITH deleted AS (
           DELETE FROM ${table} WHERE root = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE root = $1 LIMIT ${DELETED}))
           RETURNING 1
         ) SELECT count(*) AS count FROM deleted`,
        [root],
      )
      if (Number(result?.count) < DELETED) return
      await turn()
    }
  }

  return {
    async roots(filter) {
      const { conditions, values } =
        filter === undefined ? { conditions: [], values: [] } : conditionsOf(filter)
      if (filter?.rootRunId !== undefined) {
        values.push(toColumn(filter.rootRunId))
        conditions.push(`r.root_run_id = $${values.length}`)
      }
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      return (
        await database.query<RootRunColumns>(`SELECT ${COLUMNS} ${from} ${where} ORDER BY r.id`, values)
      ).map(toRecord)
    },
    list,
    async events(rootRunId, { after, limit }) {
      const first = Math.max(after, 0)
      // as text, because `pg` would parse each value before its size is known
      const rows = await database.query<{ last_seq: string; seq: string | null; data: string }>(
        `SELECT r.last_seq, e.seq, e.data::text AS data FROM ${schema}.roots r
         LEFT JOIN ${schema}.events e ON e.root = r.id AND e.seq > $2
         WHERE r.root_run_id = $1 ORDER BY e.seq LIMIT $3`,
        [toColumn(rootRunId), first, limit ?? null],
      )
      const events = rows.flatMap(({ seq, data }) =>
        seq === null ? [] : [{ ...(JSON.parse(data) as RunEvent), seq: Number(seq) }],
      )
      const end = Number(rows[0]?.last_seq ?? 0)
      const expected = Math.min(limit ?? Infinity, Math.max(0, end - first))
      const gap = events.findIndex(({ seq }, index) => seq !== first + index + 1)
      if (gap >= 0 || events.length < expected)
        throw missingEvent(database.name, rootRunId, first + 1 + (gap >= 0 ? gap : events.length))
      return events
    },
    async steps(rootRunId, runId) {
      const rows = await database.query<{ key: string; data: string }>(
        `SELECT s.key, s.data::text AS data FROM ${schema}.roots r JOIN ${schema}.steps s ON s.root = r.id
         WHERE r.root_run_id = $1 AND s.run_id = $2 ORDER BY s.id`,
        [toColumn(rootRunId), toColumn(runId)],
      )
      return new Map(rows.map(({ key, data }) => [fromColumn(key), JSON.parse(data) as Json]))
    },
    async lastSeqs(rootRunIds) {
      const rows = await database.query<{ root_run_id: string; last_seq: string }>(
        `SELECT root_run_id, last_seq FROM ${schema}.roots WHERE root_run_id = ANY ($1::text[])`,
        [rootRunIds.map(toColumn)],
      )
      return new Map(rows.map((row) => [fromColumn(row.root_run_id), Number(row.last_seq)]))
    },
    async setLabel(rootRunId, label) {
      const note = label?.note === undefined ? null : toColumn(label.note)
      const rows = await database.query(
        `UPDATE ${schema}.roots SET label = $2, label_note = $3 WHERE root_run_id = $1 RETURNING id`,
        [toColumn(rootRunId), label?.value ?? null, note],
      )
      return rows.length > 0
    },
    async sizes() {
      const rows = await database.query<{ root_run_id: string; bytes: string }>(
        `SELECT root_run_id, bytes FROM ${schema}.roots`,
      )
      return new Map(rows.map((row) => [fromColumn(row.root_run_id), Number(row.bytes)]))
    },
    async purge(rootRunIds) {
      const count = await database.attempt(() =>
        database.transaction(async (client) => {
          // locks the leases, so that none of them is acquired meanwhile
          const { rows } = await client.query<
            LeaseColumns & { id: string; root_run_id: string; run_id: string }
          >(
            `SELECT r.id, r.root_run_id, l.run_id, ${LEASE_COLUMNS} FROM ${schema}.leases l
             JOIN ${schema}.roots r ON r.id = l.root
             WHERE r.root_run_id = ANY ($1::text[]) ORDER BY l.root, l.run_id FOR UPDATE OF l`,
            [rootRunIds.map(toColumn)],
          )
          const open = rows.filter((row) => {
            const run = { rootRunId: fromColumn(row.root_run_id), runId: fromColumn(row.run_id) }
            return holderOf(row, run) !== undefined
          })
          const deleted = await client.query(
            `WITH deleted AS (
               DELETE FROM ${schema}.roots WHERE root_run_id = ANY ($1::text[]) AND NOT id = ANY ($2::bigint[]) RETURNING id
             ) INSERT INTO ${schema}.purged SELECT id FROM deleted`,
            [rootRunIds.map(toColumn), open.map(({ id }) => id)],
          )
          await client.query(
            `DELETE FROM ${schema}.sessions s WHERE NOT EXISTS (
               SELECT 1 FROM ${schema}.roots r WHERE r.principal = s.principal AND r.session = s.session)`,
          )
          return deleted.rowCount ?? 0
        }),
      )
      await deletePurged()
      return count
    },
  }
}

function missingEvent(name: string, rootRunId: string, seq: number): Error {
  return troupeError('store_corrupt', `${name}: the run ${rootRunId} is damaged: event ${seq} is missing.`, {
    fix: `Later events can be read: troupe runs events ${rootRunId} --after ${seq}. Other runs are not affected. To delete this one: troupe runs purge ${rootRunId}.`,
  })
}

/** Returns the conditions of a query or filter, and their parameters from $1 on. */
function conditionsOf(query: Omit<RootRunQuery, 'limit'>): { conditions: string[]; values: unknown[] } {
  const { principal, sessionId, agent, outcomes, text, hasApprovalRequests, inConversation, label } = query
  const conditions: string[] = []
  const values: unknown[] = []
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  if (principal !== undefined) add((value) => `r.principal = ${value}`, toColumn(principal))
  if (sessionId !== undefined) add((value) => `r.session = ${value}`, toColumn(sessionId))
  if (agent !== undefined) add((value) => `r.agent = ${value}`, toColumn(agent))
  if (outcomes !== undefined) {
    const isOpen = outcomes.includes('none') ? 'r.outcome IS NULL' : 'false'
    add((value) => `(r.outcome = ANY (${value}::text[]) OR ${isOpen})`, outcomes)
  }
  if (label !== undefined) add((value) => `r.label = ${value}`, label)
  if (hasApprovalRequests !== undefined) conditions.push('r.asked')
  if (inConversation !== undefined) conditions.push('r.session <> r.root_run_id')
  if (text !== undefined) add((value) => `strpos(r.search, ${value}) > 0`, toSearchColumn(text.toLowerCase()))
  return { conditions, values }
}
