import type { EventDraft, Failure } from '@troupe/schema'
import { metadataEvent, type LogEntry, type RunListeners } from '@troupe/schema/ports'
import type { RunTreeLease } from './root-run-table.ts'
import { packPayload, type Payload } from './payload.ts'

/** State of a run tree that is open for writing, shared by the commit queue and its log. */
export interface OpenRunTree {
  readonly lease: RunTreeLease
  readonly listeners: RunListeners
  /** `seq` of the last event on disk. */
  lastSeq: number
  /** `seq` of the last committed event. The next event follows it. */
  committedSeq: number
  /** `seq` of the last emitted event. */
  emittedSeq: number
  /** Number of queued entries and transient events. */
  waiting: number
  /** Number of entries added to the queue. `committed` counts those that are on disk. */
  written: number
  committed: number
  waiters: readonly DiskWaiter[]
  /** The reason why nothing more is written: a lost lease or a broken store. */
  lostReason: Failure | undefined
}

/** A caller that waits until this many entries are on disk. */
interface DiskWaiter {
  readonly until: number
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** An entry to commit, or a transient event that waits behind earlier entries. */
export interface QueuedEntry {
  readonly root: OpenRunTree
  readonly entry?: LogEntry
  /** The packed rows of the entry. Present after the first attempt to commit it. */
  packed?: PackedEntry | undefined
  readonly transient?: EventDraft
}

/** An entry in the form of its row. */
interface PackedEntry {
  readonly event?: Payload
  /** A packed {@link StoredStep}. */
  readonly step?: Payload
}

/** Packs the part of an entry that its run tree persists. */
export function packEntry(
  { runId, step, event }: LogEntry,
  { detail }: Pick<RunTreeLease, 'detail'>,
): PackedEntry {
  const isFull = detail === 'full'
  return {
    ...(event === undefined ? undefined : { event: packPayload(isFull ? event : metadataEvent(event)) }),
    ...(step === undefined || !isFull ? undefined : { step: packPayload([runId, step.key, step.value]) }),
  }
}
