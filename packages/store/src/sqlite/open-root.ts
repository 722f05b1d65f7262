import type { EventDraft, Failure, LogEntry } from '@troupe/schema'
import type { Listeners } from '../listeners.ts'
import type { PackedEntry } from './packed-entry.ts'
import type { LeasedRoot } from './roots.ts'

/** State of a run tree that is open for writing, shared by the commit queue and its log. */
export interface OpenRoot {
  readonly lease: LeasedRoot
  readonly listeners: Listeners
  /** `seq` of the last event on disk. */
  lastSeq: number
  /** `seq` of the last committed event. The next event follows it. */
  placedSeq: number
  /** `seq` of the last emitted event. */
  toldSeq: number
  /** Number of queued entries and transient events. */
  waiting: number
  /** Number of entries added to the queue. `committed` counts those that are on disk. */
  written: number
  committed: number
  waiters: readonly Waiter[]
  /** The reason why nothing more is written: a lost lease or a broken store. */
  lost: Failure | undefined
}

/** A caller that waits until this many entries are on disk. */
export interface Waiter {
  readonly until: number
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** An entry to commit, or a transient event that waits behind earlier entries. */
export interface Waiting {
  readonly root: OpenRoot
  readonly entry?: LogEntry
  /** The packed rows of the entry. Present after the first attempt to commit it. */
  packed?: PackedEntry | undefined
  readonly transient?: EventDraft
}
