import type { RootRunRecord, StoreDetail } from '@troupe/schema'

/** Columns of {@link RootRunRow}: all of `roots` except those used only in conditions. */
export const ROOT_RUN_COLUMNS =
  'id, root_run_id, detail, last_seq, changed_at, fence, token, owner, pid, host, lease_until, session, principal'

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
  }
}

/** Returns the process that holds the lease; `undefined` if there is none or it has expired. */
export function leaseholder(
  { owner, pid, host, lease_until: until }: RootRunRow,
  now: number,
): LeaseHolder | undefined {
  if (owner === null || pid === null || host === null || until === null || until <= now) return undefined
  return { name: owner, pid, host }
}
