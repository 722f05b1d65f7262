import { troupeError } from '@troupe/schema'

/** How many runs may be at work, and how many may wait for that. */
export interface AdmissionLimits {
  readonly maxRuns: number
  readonly maxQueue: number
}

/** Lets runs begin. */
export interface Admission {
  /**
   * Resolves when the run may begin, with a function to call when it has ended. Rejects with `server_busy` if too many runs wait already, unless the
   * run is `resumed`: that one was accepted before. Rejects with `server_busy` if the server is ending.
   */
  enter(signal: AbortSignal | undefined, options?: { readonly resumed?: boolean }): Promise<() => void>
  readonly running: number
  readonly waiting: number
  /** No run begins from now on. */
  close(): void
  /** Resolves when no run is at work. */
  idle(): Promise<void>
}

interface WaitingRun {
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/** A bounded queue in front of a bounded number of runs. */
export function createAdmission({ maxRuns, maxQueue }: AdmissionLimits): Admission {
  const queue = new Set<WaitingRun>()
  const idle = new Set<() => void>()
  let running = 0
  let isClosed = false
  const leave = (): void => {
    running -= 1
    const [next] = queue
    // runs that were cancelled before they started do not count against the limit, and do not pass a slot on
    if (next !== undefined && running < maxRuns) {
      queue.delete(next)
      next.begin()
    }
    if (running > 0) return
    for (const tell of idle) tell()
    idle.clear()
  }
  const begin = (): (() => void) => {
    running += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      leave()
    }
  }
  return {
    get running() {
      return running
    },
    get waiting() {
      return queue.size
    },
    async enter(signal, { resumed = false } = {}) {
      // a run that is cancelled already only writes its end
      if (signal?.aborted === true) return begin()
      if (isClosed) throw ending()
      if (running < maxRuns) return begin()
      if (!resumed && queue.size >= maxQueue)
        throw troupeError('server_busy', `${running} runs are at work and ${queue.size} wait.`)
      return new Promise((resolve, reject) => {
        const entry = { begin: () => resolve(begin()), refuse: reject }
        queue.add(entry)
        // who has left gets its turn no more; the run itself says that it was cancelled
        const giveUp = (): void => {
          if (queue.delete(entry)) entry.begin()
        }
        signal?.addEventListener('abort', giveUp, { once: true })
      })
    },
    close() {
      isClosed = true
      for (const { refuse } of queue) refuse(ending())
      queue.clear()
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => idle.add(resolve))
    },
  }
}

function ending(): Error {
  return troupeError('server_busy', 'The server is ending.')
}
