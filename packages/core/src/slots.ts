import type { Stop } from './stop.ts'

/** A counted FIFO queue. A slot is given back exactly once. */
export interface Slots {
  /** How many callers wait. */
  waiting(): number
  /** A slot, at once when one is free; undefined when the stop fired first. */
  enter(stop?: Pick<Stop, 'onStop' | 'reason'>): (() => void) | Promise<(() => void) | undefined>
}

interface Waiter {
  readonly give: () => void
  gone: boolean
}

/** At most `size` holders at once; the rest wait in order. */
export function createSlots(size: number): Slots {
  const queue: Waiter[] = []
  let head = 0
  let gone = 0
  let held = 0
  const release = (): void => {
    held -= 1
    while (head < queue.length) {
      const next = queue[head]
      head += 1
      if (next?.gone === true) {
        gone -= 1
        continue
      }
      next?.give()
      break
    }
    if (head === queue.length) {
      queue.length = 0
      head = 0
    }
  }
  const take = (): (() => void) => {
    held += 1
    let given = false
    return () => {
      if (given) return
      given = true
      release()
    }
  }
  return {
    waiting: () => queue.length - head - gone,
    enter: (stop) => {
      if (held < size) return take()
      if (stop?.reason !== undefined) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const waiter: Waiter = {
          gone: false,
          give: () => {
            off?.()
            resolve(take())
          },
        }
        queue.push(waiter)
        const off = stop?.onStop(() => {
          if (waiter.gone) return
          waiter.gone = true
          gone += 1
          resolve(undefined)
        })
      })
    },
  }
}
