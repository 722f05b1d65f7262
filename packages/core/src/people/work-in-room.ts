import type { WaitingRoom } from '@troupe/schema'

/** A tool at work in a root that may be left. While all that it does is wait for a person, it is not at work. */
export interface WorkInRoom {
  /** It asks a person; the answer ends that. */
  rest(): () => void
  end(): void
}

/** Begins work. */
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
