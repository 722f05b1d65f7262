import type { Clock, EventDraft } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { isGiven } from './given-events.ts'

/**
 * Puts events in the recorded order. Concurrent runs may be faster or slower than when they were recorded.
 */
export interface Sequence {
  /** Starts to emit the events that are taken from the recording. */
  begin(tell: (event: EventDraft) => void): void
  /**
   * Returns the index of the next recorded entry of the same run and call, which this entry must match;
   * `undefined` if there is none.
   */
  next(entry: CassetteEntry): number | undefined
  /** Marks an entry as ready. `release` is called when all entries before it have happened. */
  arrived(index: number, release: () => void): void
  /** Resolves when all entries before this one have happened. */
  turn(index: number): Promise<void>
  /** Gives up the order and releases everything that waits. */
  open(): void
}

/** Time in ms without progress after which the replay has stalled. Nothing in a replay takes long. */
const PATIENCE_MS = 10_000

/** Creates the sequence of a cassette. `onStall` is called with the entry that everything waits for. */
export function createSequence(
  entries: readonly CassetteEntry[],
  parts: {
    readonly clock: Clock
    restore(entry: CassetteEntry): EventDraft | undefined
    onStall(entry: CassetteEntry): void
  },
): Sequence {
  const threads = indexThreads(entries)
  const held = new Map<number, () => void>()
  const waiters = new Map<number, () => void>()
  let tell: ((event: EventDraft) => void) | undefined
  let at = 0
  let isOpen = false

  /** Lets the next entry happen. Returns false if it is not ready. */
  function advance(): boolean {
    const entry = entries[at]
    if (tell === undefined || isOpen || entry === undefined) return false
    if (isGiven(entry.event)) {
      at += 1
      const event = parts.restore(entry)
      if (event !== undefined) tell(event)
      return true
    }
    const release = held.get(at)
    if (release === undefined) return false
    held.delete(at)
    at += 1
    release()
    return true
  }

  function pump(): void {
    while (advance()) {
      // advance one entry at a time
    }
    waiters.get(at)?.()
  }

  /** Reports a stall after the timeout. Returns a function that cancels the watch. */
  function watch(): () => void {
    const seen = at
    let off = parts.clock.after(PATIENCE_MS, () => {
      const entry = entries[at]
      if (at !== seen) off = watch()
      else if (entry !== undefined && !isOpen) parts.onStall(entry)
    })
    return () => off()
  }

  return {
    begin: (given) => {
      tell = given
      pump()
    },
    next: (entry) => threads.get(threadOf(entry))?.shift(),
    arrived: (index, release) => {
      held.set(index, release)
      pump()
    },
    turn: async (index) => {
      if (at >= index || isOpen) return
      const off = watch()
      await new Promise<void>((resolve) => waiters.set(index, resolve))
      waiters.delete(index)
      off()
    },
    open: () => {
      if (isOpen) return
      isOpen = true
      for (const [, release] of [...held].toSorted(([a], [b]) => a - b)) release()
      for (const resolve of waiters.values()) resolve()
      held.clear()
    },
  }
}

/** Returns the key of the run or call: entries with the same key happen in order. */
function threadOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}

function indexThreads(entries: readonly CassetteEntry[]): ReadonlyMap<string, number[]> {
  const threads = new Map<string, number[]>()
  for (const [index, entry] of entries.entries()) {
    if (isGiven(entry.event)) continue
    const key = threadOf(entry)
    const known = threads.get(key)
    if (known === undefined) threads.set(key, [index])
    else known.push(index)
  }
  return threads
}
