import type { Clock } from '@troupe/schema'

/** A timer whose waits can be ended early. */
export interface Pause {
  wait(ms: number): Promise<void>
  /** Ends the current wait, and makes later waits return at once. */
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
