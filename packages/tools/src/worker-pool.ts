/** A pool of workers that each do one task at a time. */
interface WorkerPool<T> {
  /**
   * Returns a free worker; waits in order if there is none. `undefined` if the signal aborts first or the
   * pool is closed.
   */
  acquire(signal: AbortSignal): Promise<T | undefined>
  /** Returns a worker to the pool. Ends a worker that is not alive, so that another can be created. */
  release(worker: T, isAlive: boolean): Promise<void>
  close(): Promise<void>
}

/** Creates an empty pool. Workers are created on demand. */
export function createWorkerPool<T>(options: {
  readonly size: number
  /** Call `lost` if the worker ends by itself. */
  create(lost: () => void): T
  end(worker: T): Promise<unknown>
}): WorkerPool<T> {
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
    async acquire(signal) {
      const isOver = (): boolean => isClosed || signal.aborted
      while (!isOver()) {
        const free = idle.pop()
        if (free !== undefined) return free
        if (all.size < size) return make()
        await waitForTurn(waiting, signal)
      }
      // pass this turn on to the next waiter
      waiting.shift()?.()
      return undefined
    },
    async release(worker, isAlive) {
      // a worker that ended after its last message must not be reused
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
async function waitForTurn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
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
