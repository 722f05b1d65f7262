/** A bounded set of things that do one piece of work at a time. */
export interface WorkerSlots<T> {
  /** One that is free; waits in order. Undefined when the signal aborted first, or all is closed. */
  take(signal: AbortSignal): Promise<T | undefined>
  /** Takes it back; one that is not alive is ended and makes room for another. */
  give(worker: T, isAlive: boolean): Promise<void>
  close(): Promise<void>
}

/** Slots without anything in them: each is made when it is needed. */
export function createWorkerSlots<T>(options: {
  readonly size: number
  /** `lost` is to be called when it ends by itself. */
  create(lost: () => void): T
  end(worker: T): Promise<unknown>
}): WorkerSlots<T> {
  const { size, create, end } = options
  const all = new Set<T>()
  const idle: T[] = []
  const waiting: (() => void)[] = []
  let isClosed = false

  function make(): T {
    const worker: T = create(() => forget(worker))
    all.add(worker)
    return worker
  }
  function forget(worker: T): void {
    all.delete(worker)
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
  }
  async function drop(worker: T): Promise<void> {
    forget(worker)
    await end(worker)
  }

  return {
    async take(signal) {
      const isOver = (): boolean => isClosed || signal.aborted
      while (!isOver()) {
        const free = idle.pop()
        if (free !== undefined) return free
        if (all.size < size) return make()
        await turn(waiting, signal)
      }
      // the turn of this one is that of the next
      waiting.shift()?.()
      return undefined
    },
    async give(worker, isAlive) {
      // one that has ended since its last word would never answer again
      if (isAlive && !isClosed && all.has(worker)) idle.push(worker)
      else await drop(worker)
      waiting.shift()?.()
    },
    async close() {
      isClosed = true
      for (const wake of waiting.splice(0)) wake()
      await Promise.all([...all].map(drop))
    },
  }
}

/** Resolves when it is woken or the signal aborts. */
async function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  signal.addEventListener('abort', wake, { once: true })
  function wake(): void {
    const at = waiting.indexOf(resolve)
    if (at >= 0) waiting.splice(at, 1)
    resolve()
  }
  await promise
  signal.removeEventListener('abort', wake)
}
