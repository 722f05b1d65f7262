import type { Stop } from '../time/stop.ts'

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
  return new CountedSlots(size)
}

/** A class, as every turn with calls has one; its queue is made for the first who waits. */
class CountedSlots implements Slots {
  readonly #size: number
  #held = 0
  #queue: Waiter[] | undefined
  #head = 0
  #gone = 0

  constructor(size: number) {
    this.#size = size
  }

  waiting(): number {
    return (this.#queue?.length ?? 0) - this.#head - this.#gone
  }

  enter(stop?: Pick<Stop, 'onStop' | 'reason'>): (() => void) | Promise<(() => void) | undefined> {
    if (this.#held < this.#size) return this.#take()
    if (stop?.reason !== undefined) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        gone: false,
        give: () => {
          off?.()
          resolve(this.#take())
        },
      }
      ;(this.#queue ??= []).push(waiter)
      const off = stop?.onStop(() => {
        if (waiter.gone) return
        waiter.gone = true
        this.#gone += 1
        resolve(undefined)
      })
    })
  }

  #take(): () => void {
    this.#held += 1
    let given = false
    return () => {
      if (given) return
      given = true
      this.#release()
    }
  }

  /** To the first who still waits. */
  #release(): void {
    this.#held -= 1
    const queue = this.#queue
    if (queue === undefined) return
    while (this.#head < queue.length) {
      const next = queue[this.#head]
      this.#head += 1
      if (next?.gone !== true) {
        next?.give()
        break
      }
      this.#gone -= 1
    }
    if (this.#head < queue.length) return
    queue.length = 0
    this.#head = 0
  }
}
