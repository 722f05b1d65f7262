import type { HeldRun } from './held-run.ts'

/** Runs that wait for a request with answers, by the conversation that they are part of. */
export interface HeldRuns<Held extends Pick<HeldRun, 'cancel'> = HeldRun> {
  /** Keeps the run until it is taken or over; one that was kept under this key is given up. */
  put(key: string, run: Held): void
  /** Undefined: none waits there. */
  take(key: string): Held | undefined
  /** Gives up all, and every run that is put here from now on. */
  drain(): void
}

/** Runs kept at once; the one that waits longest is given up. */
const MOST = 1000

/** None wait. */
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
