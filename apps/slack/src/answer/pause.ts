import type { Clock } from '@troupe/schema'

/** Waits that can be cut short for good. */
export interface Pause {
  wait(ms: number): Promise<void>
  /** Ends the wait, and every one after it. */
  end(): void
}

export function createPause(clock: Clock): Pause {
  let isOver = false
  let wake: (() => void) | undefined
  return {
    async wait(ms) {
      if (isOver) return
      await new Promise<void>((resolve) => {
        const cancel = clock.after(ms, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    },
    end() {
      isOver = true
      wake?.()
    },
  }
}
