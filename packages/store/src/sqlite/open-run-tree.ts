import type { EventDraft, Failure, LogEntry } from '@troupe/schema'
import type { Listeners } from '../listeners.ts'
import type { PackedEntry } from './packed-entry.ts'
import type { RunTreeLease } from './root-run-table.ts'

/** State of a run tree that is open for writing, shared by the commit queue and its log. */
export interface OpenRunTree {
  readonly lease: RunTreeLease
  readonly listeners: Listeners
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
export interface DiskWaiter {
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
