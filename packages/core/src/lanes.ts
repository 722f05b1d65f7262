import type { Lanes } from '@troupe/schema'
import { createSlots, type Slots } from './slots.ts'
import { createStop } from './stop.ts'

/** Process-wide lanes, held by single model calls only (decision 6). The first size named for a lane stays. */
export function createLanes(): Lanes {
  const lanes = new Map<string, Slots>()
  return {
    enter: (lane, size, signal) => {
      let slots = lanes.get(lane)
      if (slots === undefined) lanes.set(lane, (slots = createSlots(size)))
      const entered = slots.enter()
      if (typeof entered === 'function' || signal === undefined) return entered
      return enterUntil(entered, signal)
    },
  }
}

/** The slot, or undefined when the signal aborts first; a slot that comes too late is given back. */
async function enterUntil(
  entered: Promise<(() => void) | undefined>,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const stop = createStop(signal)
  return new Promise((resolve) => {
    const off = stop.onStop(() => resolve(undefined))
    void entered.then((release) => {
      if (stop.reason === undefined) {
        off()
        stop.detach()
        resolve(release)
      } else {
        release?.()
      }
    })
  })
}
