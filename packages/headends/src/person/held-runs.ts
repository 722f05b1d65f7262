import type { HeldRun } from './held-run.ts'

/** Runs that wait for a request with answers, by conversation. */
export interface HeldRuns<Held extends Pick<HeldRun, 'cancel'> = HeldRun> {
  /** Stores the run until it is taken. Cancels the run that was stored under this key before. */
  put(key: string, run: Held): void
  /** Removes and returns the run; `undefined` if there is none. */
  take(key: string): Held | undefined
  /** Cancels all runs, and every run that is stored from now on. */
  drain(): void
}

/** Maximum number of stored runs. The one that has waited longest is cancelled. */
const MOST = 1000

/** Creates an empty store of held runs. */
export function createHeldRuns<Held extends Pick<HeldRun, 'cancel'> = HeldRun>(): HeldRuns<Held> {
  const held = new Map<string, Held>()
  let isDraining = false
  const giveUp = (key: string): void => {
    held.get(key)?.cancel()
    held.delete(key)
  }
  return {
    put(key, run) {
      giveUp(key)
      if (isDraining) return run.cancel()
      held.set(key, run)
      const [oldest] = held.keys()
      if (held.size > MOST && oldest !== undefined) giveUp(oldest)
    },
    take(key) {
      const run = held.get(key)
      held.delete(key)
      return run
    },
    drain() {
      isDraining = true
      for (const key of held.keys()) giveUp(key)
    },
  }
}
