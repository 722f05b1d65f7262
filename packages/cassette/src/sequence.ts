import type { Clock, EventDraft } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { isGiven } from './given-events.ts'

/** Puts what happens in the order in which it was recorded: runs that go side by side may be faster or slower than they were. */
export interface Sequence {
  /** Where events go that are given by the recording. Begins to tell them. */
  begin(tell: (event: EventDraft) => void): void
  /** The index of the recorded entry that this one must be: the next of its run and call; undefined: there is none. */
  next(entry: CassetteEntry): number | undefined
  /** The entry has happened: `release` is called when everything before it has, too. */
  arrived(index: number, release: () => void): void
  /** Resolves when everything before the entry has happened. */
  turn(index: number): Promise<void>
  /** No order any more: everything held is released. */
  open(): void
}

/** Nothing happens in a replay that takes time: what does not come within this will not come. */
const PATIENCE_MS = 10_000

/** The order of a cassette. `onStall` is told the entry that everything waits for. */
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

  /** Lets the next entry happen, where it can. */
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
      // one after the other
    }
    waiters.get(at)?.()
  }

  /** Tells of a stall until it is called off. */
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

/** What happens in one run, or in one call of it, happens in order. */
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
