import type { ApprovalGate } from '@troupe/schema'

/** Activity of a tool in a run tree that can be suspended. Waiting for human input is not activity. */
export interface ActivityTracker {
  /** Marks the tool as waiting for human input. Returns a function that ends the wait. */
  pause(): () => void
  end(): void
}

/** Marks a tool as active. */
export function trackActivity(gate: ApprovalGate): ActivityTracker {
  let done: (() => void) | undefined = gate.startWork()
  let resting = 0
  return {
    pause() {
      resting += 1
      done?.()
      done = undefined
      return () => {
        resting -= 1
        if (resting === 0) done = gate.startWork()
      }
    },
    end: () => done?.(),
  }
}
