import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  runUnknownError,
  type RootRunQuery,
  type RootRunRecord,
  type RunLabel,
  type StoreDetail,
} from '@troupe/schema/ports'

/** Number of rows that the first step examines: enough for a page without conditions. */
const FIRST_SLICE = 1000
/**
 * Maximum number of rows that a step examines, so that a search through a large store does not block the
 * event loop.
 */
const LARGEST_SLICE = 8000

/** Yields the rows of a query, newest first. Each step examines a bounded range of row ids. */
type RootRunList = (query: RootRunQuery) => Generator<readonly RootRunRow[]>

/**
 * Creates the listing of the table `roots`. Prepares a statement for each combination of conditions on first
 * use.
 */
export function createRootRunList(database: DatabaseSync): RootRunList {
  const statements = new Map<string, StatementSync>()
  const selectRow = database.prepare('SELECT id, principal FROM roots WHERE root_run_id = ?')
  const selectLast = database.prepare('SELECT max(id) AS id FROM roots')

  /** Returns the largest row id that may be listed; 0 if the store is empty. */
  function startOf({ before, principal }: RootRunQuery): number {
    if (before === undefined) return Number(selectLast.get()?.['id'] ?? 0)
    const row = selectRow.get(before)
    if (row === undefined || (principal !== undefined && row['principal'] !== principal))
      throw runUnknownError(before)
    return Number(row['id']) - 1
  }

  return function* list(query) {
    const { sql, values } = selectRootRuns(query)
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    let missing = query.limit
    let top = startOf(query)
    for (let size = FIRST_SLICE; top > 0 && missing > 0; size = Math.min(size * 4, LARGEST_SLICE)) {
      const rows = statement.all(...values, top, top - size, missing) as unknown as readonly RootRunRow[]
      missing -= rows.length
      top -= size
      yield rows
    }
  }
}

/**
 * The statement of a query, and the values of its conditions. Its last three parameters are the largest row
 * id, the row id below the smallest, and the limit.
 */
interface RootRunSelection {
  readonly sql: string
  readonly values: readonly string[]
}

/** Returns the statement that selects the root runs of a query in a range of row ids. */
export function selectRootRuns(query: RootRunQuery): RootRunSelection {
  const { principal, sessionId, agent, outcomes, text, hasApprovalRequests, inConversation, label } = query
  const conditions: string[] = []
  const values: string[] = []
  const add = (condition: string, ...given: readonly string[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (principal !== undefined) add('principal = ?', principal)
  if (sessionId !== undefined) add('session = ?', sessionId)
  if (agent !== undefined) add('agent = ?', agent)
  if (outcomes !== undefined) {
    const ended = outcomes.filter((outcome) => outcome !== 'none')
    const known = ended.length === 0 ? [] : [`outcome IN (${ended.map(() => '?').join(', ')})`]
    const open = ended.length === outcomes.length ? [] : ['outcome IS NULL']
    add(known.length + open.length === 0 ? 'FALSE' : `(${[...known, ...open].join(' OR ')})`, ...ended)
  }
  if (hasApprovalRequests !== undefined) add('asked = 1')
  if (inConversation !== undefined) add('session <> root_run_id')
  if (label !== undefined) add('label = ?', label)
  if (text !== undefined) add('instr(search, ?) > 0', text.toLowerCase())
  const where = [...conditions, 'id <= ?', 'id > ?'].join(' AND ')
  return {
    sql: `SELECT ${ROOT_RUN_COLUMNS} FROM roots ${indexOf(query)} WHERE ${where} ORDER BY id DESC LIMIT ?`,
    values,
  }
}

/**
 * Returns the index to use. Without statistics, SQLite would take any index that starts with the principal.
 */
function indexOf({ principal, sessionId, agent, outcomes, label }: RootRunQuery): string {
  if (principal === undefined) return ''
  if (sessionId !== undefined) return 'INDEXED BY roots_by_session'
  if (label !== undefined) return 'INDEXED BY roots_by_label'
  if (agent !== undefined) return 'INDEXED BY roots_by_agent'
  return outcomes?.length === 1 ? 'INDEXED BY roots_by_outcome' : 'INDEXED BY roots_by_principal'
}

/** Columns of {@link RootRunRow}: all of `roots` except those used only in conditions. */
export const ROOT_RUN_COLUMNS =
  'id, root_run_id, detail, last_seq, changed_at, fence, token, owner, pid, host, lease_until, session, principal, label, label_note'

/** A row of the table `roots`. */
export interface RootRunRow {
  readonly id: number
  readonly root_run_id: string
  readonly detail: StoreDetail
  readonly last_seq: number
  readonly changed_at: number
  readonly fence: number
  readonly token: string | null
  readonly owner: string | null
  readonly pid: number | null
  readonly host: string | null
  readonly lease_until: number | null
  readonly session: string | null
  readonly principal: string | null
  readonly label: RunLabel['value'] | null
  /** JSON text. */
  readonly label_note: string | null
}

/** The process that holds the lease of a run tree. */
export type LeaseHolder = NonNullable<RootRunRecord['owner']>

/** Converts a row to the stored root run of a listing. */
export function toRootRunRecord(row: RootRunRow, holder: LeaseHolder | undefined): RootRunRecord {
  return {
    rootRunId: row.root_run_id,
    open: holder !== undefined,
    changedAt: row.changed_at,
    lastSeq: row.last_seq,
    detail: row.detail,
    ...(row.session === null || row.principal === null
      ? {}
      : { session: { sessionId: row.session, principal: row.principal } }),
    ...(holder === undefined ? {} : { owner: holder }),
    ...(row.label === null ? {} : { label: toLabel(row.label, row.label_note) }),
  }
}

function toLabel(value: RunLabel['value'], note: string | null): RunLabel {
  return note === null ? { value } : { value, note: JSON.parse(note) as string }
}

/** Returns the process that holds the lease; `undefined` if there is none or it has expired. */
export function leaseholder(
  { owner, pid, host, lease_until: until }: RootRunRow,
  now: number,
): LeaseHolder | undefined {
  if (owner === null || pid === null || host === null || until === null || until <= now) return undefined
  return { name: owner, pid, host }
}
