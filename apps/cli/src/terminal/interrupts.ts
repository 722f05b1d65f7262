/** Handlers of Ctrl-C. Without a handler, Ctrl-C stops the program. */
export interface Interrupts {
  /** Adds a handler and returns a function that removes it. Only the handler added last is called. */
  take(fn: () => void): () => void
  /** Calls the handler. Returns false if there is none. */
  deliver(): boolean
}

export function createInterrupts(): Interrupts {
  const takers: (() => void)[] = []
  return {
    take(fn) {
      const taker = (): void => fn()
      takers.push(taker)
      return () => {
        const place = takers.indexOf(taker)
        if (place !== -1) takers.splice(place, 1)
      }
    },
    deliver() {
      const last = takers.at(-1)
      last?.()
      return last !== undefined
    },
  }
}
