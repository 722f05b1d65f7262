/** Queues by thread: tasks of one thread run in order, those of different threads concurrently. */
export interface ThreadQueue {
  add(thread: string, work: () => Promise<void>): void
  /** Resolves when all queues are empty. */
  idle(): Promise<void>
}

/**
 * Creates the queues. A conversation has one run at a time, so two messages in a thread are answered one
 * after the other. `work` must not reject.
 */
export function createThreadQueue(): ThreadQueue {
  const tails = new Map<string, Promise<void>>()
  return {
    add(thread, work) {
      const tail = (tails.get(thread) ?? Promise.resolve()).then(work).finally(() => {
        if (tails.get(thread) === tail) tails.delete(thread)
      })
      tails.set(thread, tail)
    },
    async idle() {
      while (tails.size > 0) await Promise.allSettled(tails.values())
    },
  }
}
