import type { RunEvent, RunListener } from '@troupe/schema'

/**
 * A queue between a run, which never waits, and a reader, which may. Iterates over the events in order until
 * it is closed.
 */
export interface EventQueue extends AsyncIterable<RunEvent> {
  readonly push: RunListener
  close(): void
}

/** Creates an unbounded queue: a slow reader misses nothing and does not slow down the run. */
export function createEventQueue(): EventQueue {
  const waiting: RunEvent[] = []
  let wake: (() => void) | undefined
  let isClosed = false
  const ring = (): void => {
    wake?.()
    wake = undefined
  }
  return {
    push: (event) => {
      waiting.push(event)
      ring()
    },
    close: () => {
      isClosed = true
      ring()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const batch = waiting.splice(0)
        yield* batch
        if (batch.length > 0) continue
        if (isClosed) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
