import { failure, placeEvent, TroupeError, type Clock, type Failure } from '@troupe/schema'
import type { OpenRoot, Waiting } from './open-root.ts'
import { faultOf, storeError } from './store-failure.ts'
import type { WrittenSlice } from './write-slice.ts'

/** Entries committed in one go; the event loop turns before the next. */
const SLICE = 300
/** Another process writes: its transaction is as short as ours. */
const BUSY_MS = 4
/** The disk is full: until somebody makes room. */
const FULL_MS = 250

/** The one writer of a store: entries of all its roots in the order they came, committed together when the event loop turns, and told when they are on the disk. */
export interface CommitQueue {
  /** Told to the listeners of its root once it is on the disk. */
  add(waiting: Waiting): void
  /** True while listeners are told: what they tell in turn waits. */
  readonly telling: boolean
  /** Resolves when nothing of a root waits any more; of one that is lost nothing does. Rejects when the store has no space. */
  drain(root: OpenRoot): Promise<void>
  /** Why nothing is committed for the time being. */
  readonly trouble: Failure | undefined
}

/** What the queue is made of. */
export interface QueueOptions {
  readonly path: string
  readonly clock: Clock
  /** 0 ≤ x < 1; two processes that met do not meet again. */
  random(): number
  write(slice: readonly Waiting[]): WrittenSlice
  /** Puts on the disk what was committed. */
  sync(): Promise<void>
  /** The slice is on the disk, and nobody has been told. */
  onKept?(slice: readonly Waiting[]): void
  /** The store has no space, or (undefined) it has some again. */
  onTrouble?(reason: Failure | undefined): void
}

/** A slice that is committed, and perhaps not on the disk yet. */
interface Committed extends Exclude<WrittenSlice, { fenced: OpenRoot }> {
  readonly slice: readonly Waiting[]
}

/**
 * An empty queue. What comes while the disk is at work is committed together when that is done, so the slower a disk is the more is put on it
 * at a time. A full disk pauses the queue, and it goes on by itself; a store that is broken or a lease that is lost ends its roots.
 */
export function createCommitQueue(options: QueueOptions): CommitQueue {
  const { path, clock, random, write } = options
  let queue: Waiting[] = []
  let committed: Committed[] = []
  let syncing: Promise<void> | undefined
  let isScheduled = false
  let telling = false
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

  /** Enough waits for another commit, or the disk has nothing to do. */
  function scheduleNext(): void {
    if (queue.length >= SLICE || (queue.length > 0 && syncing === undefined)) schedule()
  }

  /** False: the store takes nothing now; it is tried again later. */
  function commitSlice(): boolean {
    const slice = queue.splice(0, SLICE)
    const written = tryWrite(slice)
    if (written === undefined) return false
    if ('fenced' in written) {
      queue = slice.concat(queue)
      lose(written.fenced, failure('store_lease_lost', `${path}: another process has taken over the run.`))
    } else {
      for (const [root, lastSeq] of written.lastSeqs) root.placedSeq = lastSeq
      // the rows are there: only what is told is still wanted
      for (const waiting of slice) waiting.packed = undefined
      committed.push({ ...written, slice })
      syncing ??= keep().then(rest)
    }
    scheduleNext()
    return true
  }

  function tryWrite(slice: readonly Waiting[]): WrittenSlice | undefined {
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
      else for (const root of new Set(queue.map((waiting) => waiting.root))) lose(root, error.failure)
      return undefined
    }
  }

  /** Puts on the disk what is committed, also what comes meanwhile, and tells it. */
  async function keep(): Promise<void> {
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

  function rest(): void {
    syncing = undefined
    scheduleNext()
  }

  function settle({ slice, lastSeqs }: Committed): void {
    options.onKept?.(slice)
    for (const { root, entry } of slice) {
      root.waiting -= 1
      if (entry !== undefined) root.committed += 1
    }
    for (const [root, lastSeq] of lastSeqs) root.lastSeq = lastSeq
    tellAll(slice)
    for (const root of lastSeqs.keys()) {
      const ready = root.waiters.filter(({ until }) => until <= root.committed)
      if (ready.length > 0) root.waiters = root.waiters.filter(({ until }) => until > root.committed)
      for (const { resolve } of ready) resolve()
    }
  }

  function tellAll(slice: readonly Waiting[]): void {
    const outer = telling
    telling = true
    for (const waiting of slice) tellOf(waiting)
    telling = outer
  }

  /** Nobody knows whether the slice is kept. */
  function giveUp(slice: readonly Waiting[], reason: Failure): void {
    for (const { root } of slice) root.waiting -= 1
    for (const root of new Set(slice.map((waiting) => waiting.root))) lose(root, reason)
  }

  /** What waits of the root will never be committed. */
  function lose(root: OpenRoot, reason: Failure): void {
    root.lost ??= reason
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
    get telling() {
      return telling
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

function hasEntries(slice: readonly Waiting[]): boolean {
  return slice.some(({ entry }) => entry !== undefined)
}

/** Of a slice without anything to keep. */
const NOTHING_WRITTEN: WrittenSlice = { lastSeqs: new Map() }

/** Nothing is made of an event that nobody hears. */
function tellOf({ root, entry, transient }: Waiting): void {
  if (transient !== undefined) return root.listeners.tell(placeEvent(transient, { after: root.toldSeq }))
  if (entry?.event === undefined) return
  root.toldSeq += 1
  if (root.listeners.heard) root.listeners.tell(placeEvent(entry.event, { seq: root.toldSeq }))
}
