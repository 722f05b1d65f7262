import type { EventDraft, Failure, LogEntry } from '@troupe/schema'
import type { Listeners } from '../listeners.ts'
import type { PackedEntry } from './packed-entry.ts'
import type { LeasedRoot } from './roots.ts'

/** A root that is open for writing, as the commit queue and its log share it. */
export interface OpenRoot {
  readonly lease: LeasedRoot
  readonly listeners: Listeners
  /** `seq` of its last event on the disk. */
  lastSeq: number
  /** `seq` of its last committed event: where the next one takes its place. */
  placedSeq: number
  /** `seq` of the last event that its listeners were told. */
  toldSeq: number
  /** Entries and transient events of it that wait in the queue. */
  waiting: number
  /** Entries given to the queue, and those of them that are on the disk. */
  written: number
  committed: number
  waiters: readonly Waiter[]
  /** Why nothing of it is written any more: its lease is lost, or the store is broken. */
  lost: Failure | undefined
}

/** Waits until so many entries are on the disk. */
export interface Waiter {
  readonly until: number
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** An entry to commit, or a transient event that waits behind the entries before it. */
export interface Waiting {
  readonly root: OpenRoot
  readonly entry?: LogEntry
  /** Its rows, once it was tried to commit it. */
  packed?: PackedEntry | undefined
  readonly transient?: EventDraft
}
