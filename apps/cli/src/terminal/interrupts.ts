/** Who hears Ctrl-C. Nobody: it stops the program. */
export interface Interrupts {
  /** Hands Ctrl-C to `fn` from now on; the answer takes it back. The last one to ask hears it. */
  take(fn: () => void): () => void
  /** False: nobody has asked for it. */
  deliver(): boolean
}

/** Interrupts that nobody has asked for yet. */
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
