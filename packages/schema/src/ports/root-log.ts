import type { EventDraft, RunListener } from '../event.ts'
import type { Json, MaybePromise } from '../json.ts'

/** One keyed fact of a run (`begin`, `llm:<turn>`, `start:<turn>.<ordinal>#<attempt>`, `tool:<turn>.<ordinal>`, `approval:<turn>.<ordinal>#<attempt>`, `ask:<turn>`, `aside:<turn>.<n>`, `context:<turn>`, `resume:<n>`, `end`), an event, or both: written together or not at all. */
export interface LogEntry {
  readonly runId: string
  readonly step?: { readonly key: string; readonly value: Json }
  readonly event?: EventDraft
}

/** The log of one root: durable entries in, events out. A draft that it is handed may become the event: who wrote it must not use it again. */
export interface RootLog {
  /** Somebody listens or entries are kept; when false no event need be built. */
  readonly active: boolean
  /** Somebody listens for deltas; when false none is built. */
  readonly watched: boolean
  /** Entries are kept, and not left, so steps are worth writing. */
  readonly keeps: boolean
  /** In order; told to listeners once committed. */
  write(entry: LogEntry): void
  /** A transient event: told after everything written before it. */
  tell(event: EventDraft): void
  /** Resolves when all that was written is committed; undefined when it already is. */
  durable(): Promise<void> | undefined
  /** The committed steps of a run, by key. */
  steps(runId: string): MaybePromise<ReadonlyMap<string, Json>>
  subscribe(
    listener: RunListener,
    options?: { readonly deltas?: boolean; readonly after?: number },
  ): () => void
  /**
   * Detaches the log, so that the root can be resumed from what is saved by now. Later entries are told without a `seq` and not saved, but for
   * `usage` events: what a model call cost that was in flight has been spent. Absent on a log that saves nothing.
   */
  leave?(): void
  /** Gives the lease of the root back. */
  close(): MaybePromise<void>
}
