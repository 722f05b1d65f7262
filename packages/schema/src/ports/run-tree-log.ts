import type { EventDraft, RunListener } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'

/**
 * One step of a run, an event, or both, which are committed together. Step keys: `begin`, `llm:<turn>`,
 * `start:<turn>.<ordinal>#<attempt>`, `tool:<turn>.<ordinal>`, `approval:<turn>.<ordinal>#<attempt>`,
 * `ask:<turn>`, `aside:<turn>.<n>`, `context:<turn>`, `resume:<n>`, `end`.
 */
export interface LogEntry {
  readonly runId: string
  readonly step?: { readonly key: string; readonly value: Json }
  readonly event?: EventDraft
}

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
