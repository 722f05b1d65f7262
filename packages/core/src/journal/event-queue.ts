import type { RunEvent, RunListener } from '@troupe/schema'

/** Events between a run that never waits and a reader that may: as an async iterable, in order, until closed. */
export interface EventQueue extends AsyncIterable<RunEvent> {
  readonly push: RunListener
  close(): void
}

/** An empty queue. It keeps what is not read yet, so a slow reader loses nothing and slows nothing. */
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
