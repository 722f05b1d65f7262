import type { Clock, EventDraft } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'

/**
 * Puts events in the recorded order. Concurrent runs may be faster or slower than when they were recorded.
 */
interface EntrySequence {
  /** Starts to emit the events that are taken from the recording. */
  begin(emit: (event: EventDraft) => void): void
  /**
   * Returns the index of the next recorded entry of the same run and call, which this entry must match;
   * `undefined` if there is none.
   */
  next(entry: CassetteEntry): number | undefined
  /** Marks an entry as ready. `release` is called when all entries before it have happened. */
  markReady(index: number, release: () => void): void
  /** Resolves when all entries before this one have happened. */
  waitForTurn(index: number): Promise<void>
  /** Gives up the order and releases everything that waits. */
  releaseAll(): void
}

/** Time in ms without progress after which the replay has stalled. Nothing in a replay takes long. */
const STALL_MS = 10_000

/** Creates the sequence of a cassette. `onStall` is called with the entry that everything waits for. */
export function createEntrySequence(
  entries: readonly CassetteEntry[],
  parts: {
    readonly clock: Clock
    restore(entry: CassetteEntry): EventDraft | undefined
    onStall(entry: CassetteEntry): void
  },
): EntrySequence {
  const indexes = indexBySequence(entries)
  const releases = new Map<number, () => void>()
  const waiters = new Map<number, () => void>()
  let emit: ((event: EventDraft) => void) | undefined
  let at = 0
  let isOpen = false

  /** Lets the next entry happen. Returns false if it is not ready. */
  function advance(): boolean {
    const entry = entries[at]
    if (emit === undefined || isOpen || entry === undefined) return false
    if (isReplayedEvent(entry.event)) {
      at += 1
      const event = parts.restore(entry)
      if (event !== undefined) emit(event)
      return true
    }
    const release = releases.get(at)
    if (release === undefined) return false
    releases.delete(at)
    at += 1
    release()
    return true
  }

  function advanceAll(): void {
    while (advance()) {
      // advance one entry at a time
    }
    waiters.get(at)?.()
  }

  /** Reports a stall after the timeout. Returns a function that cancels the watch. */
  function watch(): () => void {
    const seen = at
    let off = parts.clock.after(STALL_MS, () => {
      const entry = entries[at]
      if (at !== seen) off = watch()
      else if (entry !== undefined && !isOpen) parts.onStall(entry)
    })
    return () => off()
  }

  return {
    begin: (emitEvent) => {
      emit = emitEvent
      advanceAll()
    },
    next: (entry) => indexes.get(sequenceKeyOf(entry))?.shift(),
    markReady: (index, release) => {
      releases.set(index, release)
      advanceAll()
    },
    waitForTurn: async (index) => {
      if (at >= index || isOpen) return
      const off = watch()
      await new Promise<void>((resolve) => waiters.set(index, resolve))
      waiters.delete(index)
      off()
    },
    releaseAll: () => {
      if (isOpen) return
      isOpen = true
      for (const [, release] of [...releases].toSorted(([a], [b]) => a - b)) release()
      for (const resolve of waiters.values()) resolve()
      releases.clear()
    },
  }
}

/** Returns the key of the run or call: entries with the same key happen in order. */
function sequenceKeyOf({ run, call = '' }: CassetteEntry): string {
  return `${run} ${call}`
}

function indexBySequence(entries: readonly CassetteEntry[]): ReadonlyMap<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, entry] of entries.entries()) {
    if (isReplayedEvent(entry.event)) continue
    const key = sequenceKeyOf(entry)
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, [index])
    else known.push(index)
  }
  return indexes
}

/**
 * Events that a replay takes from the recording. Hooks, tools, people and servers caused them, and none of
 * those runs again. All other events come from the agent loop and are compared with the recording.
 */
const REPLAYED_EVENTS: ReadonlySet<string> = new Set([
  'tool-start',
  'approval-request',
  'approval-result',
  'run-waiting',
  'warning',
])

/** Returns true for an event that is taken from the recording. */
export function isReplayedEvent(event: string): boolean {
  return REPLAYED_EVENTS.has(event)
}
