import { failure, TroupeError, type Clock, type Failure } from '@troupe/schema'
import type { OpenRoot, Told, Waiting } from './open-root.ts'
import { faultOf, storeError } from './store-failure.ts'
import type { WrittenSlice } from './write-slice.ts'

/** Entries committed in one go; the event loop turns before the next. */
const SLICE = 300
/** Another process writes: its transaction is as short as ours. */
const BUSY_MS = 4
/** The disk is full: until somebody makes room. */
const FULL_MS = 250

/** The one writer of a store: entries of all its roots in the order they came, committed together as soon as the event loop turns. */
export interface CommitQueue {
  /** Told to the listeners of its root once committed. */
  add(waiting: Waiting): void
  /** True while listeners are told: what they tell in turn waits. */
  readonly telling: boolean
  /** Commits what waits of a root now; of one that is lost nothing waits. Rejects when the store has no space. */
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
  /** The store has no space, or (undefined) it has some again. */
  onTrouble?(reason: Failure | undefined): void
}

/** An empty queue. A full disk pauses it, and it goes on by itself; a store that is broken or a lease that is lost ends its roots. */
export function createCommitQueue(options: QueueOptions): CommitQueue {
  const { path, clock, random, write } = options
  let queue: Waiting[] = []
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

  /** False: the store takes nothing now; it is tried again later. */
  function commitSlice(): boolean {
    const slice = queue.splice(0, SLICE)
    const written = tryWrite(slice)
    if (written === undefined) return false
    if ('fenced' in written) {
      queue = slice.concat(queue)
      lose(written.fenced, failure('store_lease_lost', `${path}: another process has taken over the run.`))
    } else settle(slice, written)
    if (queue.length > 0) schedule()
    return true
  }

  function tryWrite(slice: readonly Waiting[]): WrittenSlice | undefined {
    try {
      const written = slice.some(({ entry }) => entry !== undefined) ? write(slice) : toldOnly(slice)
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

  function settle(
    slice: readonly Waiting[],
    { told, lastSeqs }: Exclude<WrittenSlice, { fenced: OpenRoot }>,
  ): void {
    for (const { root, entry } of slice) {
      root.waiting -= 1
      if (entry !== undefined) root.committed += 1
    }
    for (const [root, lastSeq] of lastSeqs) root.lastSeq = lastSeq
    tellAll(told)
    for (const root of lastSeqs.keys()) {
      const ready = root.waiters.filter(({ until }) => until <= root.committed)
      if (ready.length > 0) root.waiters = root.waiters.filter(({ until }) => until > root.committed)
      for (const { resolve } of ready) resolve()
    }
  }

  function tellAll(told: readonly Told[]): void {
    const outer = telling
    telling = true
    for (const { root, event } of told) root.listeners.tell(event)
    telling = outer
  }

  /** What waits of the root will never be committed. */
  function lose(root: OpenRoot, reason: Failure): void {
    root.lost = reason
    root.waiting = 0
    queue = queue.filter((waiting) => waiting.root !== root)
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
      schedule()
    },
    async drain(root) {
      while (root.waiting > 0) {
        if (commitSlice()) continue
        if (trouble !== undefined) throw new TroupeError(trouble)
        if (root.waiting > 0) await new Promise<void>((resolve) => clock.after(BUSY_MS, resolve))
      }
    },
  }
}

/** A slice without anything to keep. */
function toldOnly(slice: readonly Waiting[]): WrittenSlice {
  const told = slice.flatMap(({ root, transient }) =>
    transient === undefined ? [] : [{ root, event: { ...transient, after: root.lastSeq } }],
  )
  return { told, lastSeqs: new Map() }
}
