import type { HeldRun } from './held-run.ts'

/** Runs that wait for a request with answers, by conversation. */
export interface HeldRuns<T extends Pick<HeldRun, 'cancel'> = HeldRun> {
  /** Stores the run until it is taken. Cancels the run that was stored under this key before. */
  put(key: string, run: T): void
  /** Removes and returns the run; `undefined` if there is none. */
  take(key: string): T | undefined
  /** Cancels all runs, and every run that is stored from now on. */
  drain(): void
}

/** Maximum number of stored runs. The one that has waited longest is cancelled. */
const MAX_RUNS = 1000

/** Creates an empty store of held runs. */
export function createHeldRuns<T extends Pick<HeldRun, 'cancel'> = HeldRun>(): HeldRuns<T> {
  const held = new Map<string, T>()
  let isDraining = false
  const cancelRun = (key: string): void => {
    held.get(key)?.cancel()
    held.delete(key)
  }
  return {
    put(key, run) {
      cancelRun(key)
      if (isDraining) return run.cancel()
      held.set(key, run)
      const [oldest] = held.keys()
      if (held.size > MAX_RUNS && oldest !== undefined) cancelRun(oldest)
    },
    take(key) {
      const run = held.get(key)
      held.delete(key)
      return run
    },
    drain() {
      isDraining = true
      for (const key of held.keys()) cancelRun(key)
    },
  }
}
