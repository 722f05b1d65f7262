import type { Outcome } from '../errors/errors.ts'
import type { EventDraft, RunEvent, RunListener } from '../events/event.ts'
import type { Json, MaybePromise } from '../text/json.ts'
import type { RunLabel } from '../values/run-label.ts'
import type { ScheduleTable } from './schedule-table.ts'
import type { SessionKey, SessionTable } from './session-table.ts'

/**
 * Detail that is persisted of a run tree: everything, or only metadata such as times, costs and outcomes. A
 * run with metadata only cannot be resumed.
 */
export type StoreDetail = 'full' | 'metadata'

/** Filter for root runs: all of a principal, those of one session, or one by id. */
export interface RootRunFilter {
  /** Default: any. */
  readonly principal?: string
  /** Only root runs of the conversation with this id. */
  readonly sessionId?: string
  /** Only the root run with this id. */
  readonly rootRunId?: string
}

/** Conditions for listing root runs. All given conditions must be met. */
export interface RootRunQuery {
  /** Only root runs of this principal. */
  readonly principal?: string
  /** Only root runs of the conversation with this id. */
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
  /** Only root runs with this label. */
  readonly label?: RunLabel['value']
  /** Only root runs that started before the one with this id. */
  readonly before?: string
  /** Maximum number of results. */
  readonly limit: number
  /** Aborts a long search. */
  readonly signal?: AbortSignal
}

/** Information about a stored root run that does not require opening it. */
export interface RootRunRecord {
  /** The id of the root run. */
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
  /** How much of the run is stored. */
  readonly detail: StoreDetail
  /** `undefined` if the run has no label. */
  readonly label?: RunLabel
}

/** The writer of a store, as recorded in its leases. */
export interface StoreWriter {
  /** Identifies one opened store. Another one in the same process has another token. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Returns true if a process of this host is running. */
  isAlive(pid: number): boolean
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
  /** Returns the committed steps of a run by key, in the order in which they were first appended. */
  steps(rootRunId: string, runId: string): MaybePromise<ReadonlyMap<string, Json>>
  /**
   * Sets the label of a root run, or removes it. Needs no lease, and changes nothing else of the run. Returns
   * false if the store does not have the root run.
   */
  setLabel(rootRunId: string, label: RunLabel | undefined): MaybePromise<boolean>
  /**
   * Calls the listener with the committed events of a run tree after a `seq`, whichever process appends them,
   * in order and without gaps, also if the run does not exist yet. If events cannot be read, calls `onError`
   * once and then nothing more. Returns a function that stops it. Absent if the store has to be polled.
   *
   * With `wantsTransient`, the listener also receives transient events of other processes, never after the
   * stored events that they precede. Some or all may be missing. They are only requested while the function,
   * which is called repeatedly, returns true.
   */
  follow?(
    rootRunId: string,
    range: { readonly after: number; readonly wantsTransient?: () => boolean },
    listener: RunListener,
    onError: (thrown: unknown) => void,
  ): () => void
  /**
   * Returns the size of each run tree in bytes, if the store knows it. A long text that several share counts
   * for each.
   */
  sizes?(): MaybePromise<ReadonlyMap<string, number>>
  /** Deletes run trees that are not open. Returns the number of deleted ones. */
  purge(rootRunIds: readonly string[]): MaybePromise<number>
  /** Names and other properties of sessions. */
  readonly sessions: SessionTable
  /** Schedules and their firings. Without it, the store cannot be used for schedules. */
  readonly schedules?: ScheduleTable
  /** Writes what is still waiting and closes the store. */
  close(): MaybePromise<void>
}

/**
 * One step of a run, an event, or both, which are committed together. Step keys: `queued`, `begin`, `llm:<turn>`,
 * `start:<turn>.<ordinal>#<attempt>`, `tool:<turn>.<ordinal>`, `approval:<turn>.<ordinal>#<attempt>`,
 * `ask:<turn>`, `aside:<turn>.<n>`, `context:<turn>`, `resume:<n>`, `note`, `end`.
 */
export interface LogEntry {
  /** The run of the tree that the entry belongs to. */
  readonly runId: string
  /** A step to store, by which a resumed run continues. */
  readonly step?: { readonly key: string; readonly value: Json }
  /** An event to store. */
  readonly event?: EventDraft
}

/**
 * Returns true for the usage event of a model call. It is persisted even on a detached log, because the cost
 * has been incurred.
 */
export function isUsage({ event }: LogEntry): boolean {
  return event?.type === 'usage'
}

/** Key of the step that holds the request of a run that was accepted and may not have started. */
export const QUEUED_STEP = 'queued'

/** Key of the step with fields that were added to the note of a run after it was accepted. */
export const NOTE_STEP = 'note'

/**
 * The log of one run tree: takes durable entries and emits events. It may turn a draft into the event itself,
 * so the caller must not reuse the draft.
 */
export interface RunTreeLog {
  /** True if there are listeners or entries are persisted. If false, no event needs to be built. */
  readonly isActive: boolean
  /** True if a listener wants deltas. If false, no delta needs to be built. */
  readonly hasDeltaListeners: boolean
  /** True if steps are persisted. False on a detached log. */
  readonly isPersistent: boolean
  /** Appends an entry. Entries are committed in order, and their events are emitted once committed. */
  append(entry: LogEntry): void
  /** Emits a transient event after all entries that were appended before it. */
  emitTransient(event: EventDraft): void
  /** Resolves when all appended entries are committed. Returns `undefined` if they already are. */
  waitForCommit(): Promise<void> | undefined
  /** Returns the committed steps of a run by key. */
  steps(runId: string): MaybePromise<ReadonlyMap<string, Json>>
  /** Calls the listener with every later event, from the event after `after`. Returns a function that ends this. */
  subscribe(
    listener: RunListener,
    options?: { readonly deltas?: boolean; readonly after?: number },
  ): () => void
  /**
   * Detaches the log, so that the run tree can be resumed from what is persisted by now. Later events are
   * emitted without a `seq` and are not persisted, except `usage` events, because a model call in flight
   * still costs. Absent on a log that persists nothing.
   */
  detach?(): void
  /** Commits the pending entries and releases the lease of the run tree. */
  close(): MaybePromise<void>
}

/** The searched parts of a root run. */
export interface SearchableRun {
  readonly runId: string
  readonly agent: string
  readonly input: string
}

/** Number of characters of an input that are searched. */
export const LONGEST_SEARCH_TEXT = 1000

/**
 * Returns the text that a search for runs looks in: input, agent and run id, in lower case. Search terms must
 * be in lower case too.
 */
export function searchText({ runId, agent, input }: SearchableRun): string {
  return `${input.slice(0, LONGEST_SEARCH_TEXT)}\n${agent}\n${runId}`.toLowerCase()
}
