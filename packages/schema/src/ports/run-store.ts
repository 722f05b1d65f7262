import type { RunEvent } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'
import type { Outcome } from '../outcome.ts'
import type { RootLog } from './root-log.ts'

/** How much of a root is kept: every word, or only who did what when, at what cost and with what outcome. Of the second no run can be resumed. */
export type StoreDetail = 'full' | 'metadata'

/** The conversation that a root is part of: there may be one of the same id for every principal. */
export interface SessionKey {
  readonly sessionId: string
  readonly principal: string
}

/** Which roots are asked for: those of a principal, or of one session of it, or one of them by its id. */
export interface RootFilter {
  readonly principal: string
  readonly sessionId?: string
  readonly rootRunId?: string
}

/** Conditions of a listing; a root is listed if it meets all that are given. */
export interface RootQuery {
  readonly principal?: string
  readonly sessionId?: string
  /** Only roots of a conversation: those whose session has an id other than their run id. */
  readonly inConversation?: true
  /** Name of the agent of the root run. */
  readonly agent?: string
  /** Outcomes of the root run; `none` stands for a run that has not ended. */
  readonly outcomes?: readonly (Outcome | 'none')[]
  /** Text that the input, the agent or the run id contains, in any letter case. See `searchText`. */
  readonly text?: string
  /** Only roots in which a person was asked for an approval or an answer. */
  readonly asked?: true
  /** Only roots that began before the root with this run id. */
  readonly before?: string
  /** Largest number of roots in the result. */
  readonly limit: number
  /** Ends a long search early. */
  readonly signal?: AbortSignal
}

/** What a store knows of a root without opening it. */
export interface StoredRoot {
  readonly rootRunId: string
  /** None: it was opened without one. */
  readonly session?: SessionKey
  /** Somebody writes it. */
  readonly open: boolean
  /** Who, where the store is shared by processes. */
  readonly owner?: { readonly name: string; readonly pid: number; readonly host: string }
  /** When the root was last opened, written or closed, wall time in ms, where the store knows. */
  readonly changedAt?: number
  /** `seq` of its last event; 0: none. */
  readonly lastSeq: number
  readonly detail: StoreDetail
}

/** Time after which a lease that was not renewed has run out, in ms. */
export const LEASE_MS = 30_000

/** Keeps the logs of roots. Reading needs no lease: anybody may look at a root that somebody else writes. */
export interface RunStore {
  /** The files that the store is kept in, as absolute paths: file tools neither read nor write them. */
  readonly files?: readonly string[]
  /**
   * Opens the log of a root and takes its lease; throws `store_locked` when another owner has it, and `session_busy` when another root of its session
   * is open. `detail` (default: full) and `session` are those of a new root.
   */
  open(
    rootRunId: string,
    owner: string,
    options?: { readonly detail?: StoreDetail; readonly session?: SessionKey },
  ): MaybePromise<RootLog>
  /** In the order they were begun, where the store knows; with a filter those of a principal, or of a session of one. */
  roots(filter?: RootFilter): MaybePromise<readonly StoredRoot[]>
  /**
   * Returns roots that meet the query, the last begun first. To get the next page, pass the run id of the last root as `before`.
   * Throws `run_unknown` if the store has no root of that id for the principal.
   */
  list(query: RootQuery): MaybePromise<readonly StoredRoot[]>
  /** The committed events of a root after a `seq`, in order; none: there is no such root. */
  events(
    rootRunId: string,
    range?: { readonly after?: number; readonly limit?: number },
  ): MaybePromise<readonly RunEvent[]>
  /** The committed steps of a run, by key. */
  steps(rootRunId: string, runId: string): MaybePromise<ReadonlyMap<string, Json>>
  /** What each root takes, in bytes, where the store knows; a long text that several share counts for each. */
  sizes?(): MaybePromise<ReadonlyMap<string, number>>
  /** Forgets roots; those that are open stay. Gives how many are gone. */
  purge(rootRunIds: readonly string[]): MaybePromise<number>
  close(): MaybePromise<void>
}
