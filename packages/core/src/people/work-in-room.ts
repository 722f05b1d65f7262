import type { WaitingRoom } from '@troupe/schema'

/** Activity of a tool in a run tree that can be suspended. Waiting for human input is not activity. */
export interface WorkInRoom {
  /** Marks the tool as waiting for human input. Returns a function that ends the wait. */
  rest(): () => void
  end(): void
}

/** Marks a tool as active. */
export function beginWork(room: WaitingRoom): WorkInRoom {
  let done: (() => void) | undefined = room.work()
  let resting = 0
  return {
    rest() {
      resting += 1
      done?.()
      done = undefined
      return () => {
        resting -= 1
        if (resting === 0) done = room.work()
      }
    },
    end: () => done?.(),
  }
}
