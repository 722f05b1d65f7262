/** Work of one thread is done in its order, that of different threads at once. */
export interface ThreadQueue {
  add(thread: string, work: () => Promise<void>): void
  /** Resolves when nothing is left. */
  idle(): Promise<void>
}

/** A person who writes twice gets two answers, one after the other: a conversation has one run at a time. `work` must not reject. */
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
