import { failure, TroupeError, type Clock, type Failure } from '@troupe/schema'
import { assignSequence } from '@troupe/schema/ports'
import type { OpenRunTree, QueuedEntry } from './open-run-tree.ts'
import { faultOf, storeError } from './store-failure.ts'
import type { WrittenSlice } from './write-slice.ts'

/** Maximum number of entries that are committed before the event loop continues. */
const SLICE = 300
/** Retry delay in ms while another process writes. Its transactions are as short as ours. */
const BUSY_MS = 4
/** Retry delay in ms while the disk is full. */
const FULL_MS = 250

/**
 * The only writer of a store. Commits the entries of all run trees together, in order of arrival, when the
 * event loop continues. Emits their events once they are on disk.
 */
export interface CommitQueue {
  /** Adds an entry. Its event is emitted once it is on disk. */
  add(waiting: QueuedEntry): void
  /** True while events are emitted. Events added by listeners must then wait in the queue. */
  readonly isEmitting: boolean
  /**
   * Resolves when no entry of the run tree is pending, immediately if it is lost. Rejects if the store has no
   * space.
   */
  drain(root: OpenRunTree): Promise<void>
  /** The reason why commits are paused; `undefined` if they are not. */
  readonly trouble: Failure | undefined
}

/** Dependencies of the queue. */
interface QueueOptions {
  readonly path: string
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1. Keeps two processes from colliding again. */
  random(): number
  write(slice: readonly QueuedEntry[]): WrittenSlice
  /** Flushes committed entries to disk. */
  sync(): Promise<void>
  /** Called when a slice is on disk, before its events are emitted. */
  onSynced?(slice: readonly QueuedEntry[]): void
  /** Called when the store is full, and with `undefined` when it has space again. */
  onTrouble?(reason: Failure | undefined): void
}

/** A committed slice that may not be on disk yet. */
interface CommittedSlice extends Exclude<WrittenSlice, { fenced: OpenRunTree }> {
  readonly slice: readonly QueuedEntry[]
}

/**
 * Creates an empty queue. Entries that arrive during a disk sync are committed together afterwards, so a
 * slower disk gets larger commits. A full disk pauses the queue until there is space. A broken store or a
 * lost lease ends the run trees concerned.
 */
export function createCommitQueue(options: QueueOptions): CommitQueue {
  const { path, clock, random, write } = options
  let queue: QueuedEntry[] = []
  let committed: CommittedSlice[] = []
  let syncing: Promise<void> | undefined
  let isScheduled = false
  let isEmitting = false
  let trouble: Failure | undefined

  function schedule(delayMs = 0): void {
    if (isScheduled) return
    isScheduled = true
    const turn = (): void => {
      isScheduled = false
      commitSlice()
    }
    if (delayMs === 0) setImmediate(turn)
    else clock.after(delayMs, turn)
  }

  /** Schedules a commit if a full slice is pending or the disk is idle. */
  function scheduleNext(): void {
    if (queue.length >= SLICE || (queue.length > 0 && syncing === undefined)) schedule()
  }

  /** Returns false if nothing was committed. A retry is scheduled if the store is only busy or full. */
  function commitSlice(): boolean {
    const slice = queue.splice(0, SLICE)
    const written = tryWrite(slice)
    if (written === undefined) return false
    if ('fenced' in written) {
      queue = slice.concat(queue)
      endRunTree(
        written.fenced,
        failure('store_lease_lost', `${path}: another process has taken over the run.`),
      )
    } else {
      for (const [root, lastSeq] of written.lastSeqs) root.committedSeq = lastSeq
      // the rows are written, so only the events are still needed
      for (const waiting of slice) waiting.packed = undefined
      committed.push({ ...written, slice })
      syncing ??= syncCommitted().then(finishSync)
    }
    scheduleNext()
    return true
  }

  function tryWrite(slice: readonly QueuedEntry[]): WrittenSlice | undefined {
    try {
      const written = hasEntries(slice) ? write(slice) : NOTHING_WRITTEN
      setTrouble(undefined)
      return written
    } catch (thrown) {
      queue = slice.concat(queue)
      const fault = faultOf(thrown)
      const error = storeError(thrown, path)
      if (fault === 'full') setTrouble(error.failure)
      if (fault === 'full' || fault === 'busy')
        schedule(fault === 'full' ? FULL_MS : BUSY_MS * (random() + 0.1))
      else for (const root of new Set(queue.map((waiting) => waiting.root))) endRunTree(root, error.failure)
      return undefined
    }
  }

  /** Syncs committed slices to disk, including those committed meanwhile, and emits their events. */
  async function syncCommitted(): Promise<void> {
    while (committed.length > 0) {
      const slices = committed
      committed = []
      try {
        if (slices.some(({ slice }) => hasEntries(slice))) await options.sync()
        for (const slice of slices) settle(slice)
      } catch (thrown) {
        for (const { slice } of slices) giveUp(slice, storeError(thrown, path).failure)
      }
    }
  }

  function finishSync(): void {
    syncing = undefined
    scheduleNext()
  }

  function settle({ slice, lastSeqs }: CommittedSlice): void {
    options.onSynced?.(slice)
    for (const { root, entry } of slice) {
      root.waiting -= 1
      if (entry !== undefined) root.committed += 1
    }
    for (const [root, lastSeq] of lastSeqs) root.lastSeq = lastSeq
    emitAll(slice)
    for (const root of lastSeqs.keys()) {
      const ready = root.waiters.filter(({ until }) => until <= root.committed)
      if (ready.length > 0) root.waiters = root.waiters.filter(({ until }) => until > root.committed)
      for (const { resolve } of ready) resolve()
    }
  }

  function emitAll(slice: readonly QueuedEntry[]): void {
    const outer = isEmitting
    isEmitting = true
    for (const waiting of slice) emitEntry(waiting)
    isEmitting = outer
  }

  /** Ends the run trees of a slice after a failed sync, because it may or may not be on disk. */
  function giveUp(slice: readonly QueuedEntry[], reason: Failure): void {
    for (const { root } of slice) root.waiting -= 1
    for (const root of new Set(slice.map((waiting) => waiting.root))) endRunTree(root, reason)
  }

  /** Ends a run tree. Its pending entries are never committed. */
  function endRunTree(root: OpenRunTree, reason: Failure): void {
    root.lostReason ??= reason
    const others = queue.filter((waiting) => waiting.root !== root)
    root.waiting -= queue.length - others.length
    queue = others
    for (const { reject } of root.waiters) reject(new TroupeError(reason))
    root.waiters = []
  }

  function setTrouble(reason: Failure | undefined): void {
    if (trouble?.code === reason?.code) return
    trouble = reason
    options.onTrouble?.(reason)
  }

  return {
    get isEmitting() {
      return isEmitting
    },
    get trouble() {
      return trouble
    },
    add(waiting) {
      waiting.root.waiting += 1
      if (waiting.entry !== undefined) waiting.root.written += 1
      queue.push(waiting)
      scheduleNext()
    },
    async drain(root) {
      while (root.waiting > 0) {
        if (syncing === undefined) commitSlice()
        if (trouble !== undefined) throw new TroupeError(trouble)
        if (root.waiting > 0) await (syncing ?? new Promise<void>((resolve) => clock.after(BUSY_MS, resolve)))
      }
    },
  }
}

function hasEntries(slice: readonly QueuedEntry[]): boolean {
  return slice.some(({ entry }) => entry !== undefined)
}

/** Result for a slice without entries to persist. */
const NOTHING_WRITTEN: WrittenSlice = { lastSeqs: new Map() }

/** Emits the event of an entry. Builds it only if there are listeners. */
function emitEntry({ root, entry, transient }: QueuedEntry): void {
  if (transient !== undefined)
    return root.listeners.emit(assignSequence(transient, { after: root.emittedSeq }))
  if (entry?.event === undefined) return
  root.emittedSeq += 1
  if (root.listeners.hasListeners) root.listeners.emit(assignSequence(entry.event, { seq: root.emittedSeq }))
}
