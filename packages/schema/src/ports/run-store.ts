import type { RunEvent } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'
import type { Outcome } from '../outcome.ts'
import type { RunTreeLog } from './run-tree-log.ts'

/**
 * Detail that is persisted of a run tree: everything, or only metadata such as times, costs and outcomes. A
 * run with metadata only cannot be resumed.
 */
export type StoreDetail = 'full' | 'metadata'

/** Key of a conversation. Session ids are unique per principal. */
export interface SessionKey {
  readonly sessionId: string
  readonly principal: string
}

/** Filter for root runs: all of a principal, those of one session, or one by id. */
export interface RootRunFilter {
  readonly principal: string
  readonly sessionId?: string
  readonly rootRunId?: string
}

/** Conditions for listing root runs. All given conditions must be met. */
export interface RootRunQuery {
  readonly principal?: string
  readonly sessionId?: string
  /** Only root runs of a conversation: those whose session id differs from their run id. */
  readonly inConversation?: true
  /** Name of the agent of the root run. */
  readonly agent?: string
  /** Outcomes of the root run; `none` stands for a run that has not ended. */
  readonly outcomes?: readonly (Outcome | 'none')[]
  /** Case-insensitive text in the input, the agent name or the run id. See `searchText`. */
  readonly text?: string
  /** Only root runs in which a person was asked for an approval or an answer. */
  readonly hasApprovalRequests?: true
  /** Only root runs that started before the one with this id. */
  readonly before?: string
  /** Maximum number of results. */
  readonly limit: number
  /** Aborts a long search. */
  readonly signal?: AbortSignal
}

/** Information about a stored root run that does not require opening it. */
export interface RootRunRecord {
  readonly rootRunId: string
  /** `undefined` if the run was opened without a session. */
  readonly session?: SessionKey
  /** True if a process holds the lease of the run. */
  readonly open: boolean
  /** The holder of the lease, if the store is shared by processes. */
  readonly owner?: { readonly name: string; readonly pid: number; readonly host: string }
  /** Time at which the run was last opened, written or closed, wall time in ms, if the store knows it. */
  readonly changedAt?: number
  /** `seq` of the last event; 0 if there is none. */
  readonly lastSeq: number
  readonly detail: StoreDetail
}

/** Time in ms after which a lease expires if it is not renewed. */
export const LEASE_MS = 30_000

/**
 * Persists the logs of run trees. Reading needs no lease, so a run can be read while another process writes
 * it.
 */
export interface RunStore {
  /** Absolute paths of the store's files. File tools may neither read nor write them. */
  readonly files?: readonly string[]
  /**
   * Opens the log of a run tree and takes its lease. Throws `store_locked` if another owner has it, and
   * `session_busy` if another root run of the session is open. `detail` (default: full) and `session` apply
   * to a new run.
   */
  open(
    rootRunId: string,
    owner: string,
    options?: { readonly detail?: StoreDetail; readonly session?: SessionKey },
  ): MaybePromise<RunTreeLog>
  /**
   * Returns root runs in the order in which they started, if the store knows it. A filter restricts them to a
   * principal or a session.
   */
  roots(filter?: RootRunFilter): MaybePromise<readonly RootRunRecord[]>
  /**
   * Returns root runs that meet the query, newest first. To get the next page, pass the run id of the last
   * one as `before`. Throws `run_unknown` if the store has no root run with that id for the principal.
   */
  list(query: RootRunQuery): MaybePromise<readonly RootRunRecord[]>
  /** Returns the committed events of a run tree after a `seq`, in order; empty if the run is not known. */
  events(
    rootRunId: string,
    range?: { readonly after?: number; readonly limit?: number },
  ): MaybePromise<readonly RunEvent[]>
  /** Returns the committed steps of a run by key. */
  steps(rootRunId: string, runId: string): MaybePromise<ReadonlyMap<string, Json>>
  /**
   * Returns the size of each run tree in bytes, if the store knows it. A long text that several share counts
   * for each.
   */
  sizes?(): MaybePromise<ReadonlyMap<string, number>>
  /** Deletes run trees that are not open. Returns the number of deleted ones. */
  purge(rootRunIds: readonly string[]): MaybePromise<number>
  close(): MaybePromise<void>
}
