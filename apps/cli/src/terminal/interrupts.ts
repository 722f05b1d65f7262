/** Handlers of Ctrl-C. Without a handler, Ctrl-C stops the program. */
export interface Interrupts {
  /** Adds a handler and returns a function that removes it. Only the handler added last is called. */
  addHandler(fn: () => void): () => void
  /** Calls the handler. Returns false if there is none. */
  handleInterrupt(): boolean
}

export function createInterrupts(): Interrupts {
  const handlers: (() => void)[] = []
  return {
    addHandler(fn) {
      const handler = (): void => fn()
      handlers.push(handler)
      return () => {
        const index = handlers.indexOf(handler)
        if (index !== -1) handlers.splice(index, 1)
      }
    },
    handleInterrupt() {
      const last = handlers.at(-1)
      last?.()
      return last !== undefined
    },
  }
}
