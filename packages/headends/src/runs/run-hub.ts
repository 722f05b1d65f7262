import type { RunEvent, RunListener } from '@troupe/schema'

/** Who watches which run of this process. Listeners come and go, also before a run begins and between its parts. */
export interface RunHub {
  /** The answer takes the listener back. */
  listen(runId: string, listener: RunListener): () => void
  tell(event: RunEvent): void
}

/** Nobody watches yet. */
export function createRunHub(): RunHub {
  const watched = new Map<string, Set<RunListener>>()
  return {
    listen(runId, listener) {
      const listeners = watched.get(runId) ?? new Set()
      watched.set(runId, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && watched.get(runId) === listeners) watched.delete(runId)
      }
    },
    tell(event) {
      for (const listener of watched.get(event.rootRunId) ?? []) listener(event)
    },
  }
}
