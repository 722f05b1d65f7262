import type { EventType, RunEvent } from '@troupe/schema'
import type { RunHub } from '../feeds/run-hub.ts'

/** Listeners for changes of the lists of runs and approvals. */
interface RunActivity {
  notify(): void
  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void
}

/** Creates an activity without listeners. */
export function createActivity(): RunActivity {
  const listeners = new Set<() => void>()
  return {
    notify() {
      for (const listener of listeners) listener()
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Returns the hub, which also calls `notify` after events that change a list, and when a run is no longer active. */
export function withActivity(hub: RunHub, notify: () => void): RunHub {
  return {
    ...hub,
    publish(event) {
      hub.publish(event)
      if (changesList(event)) notify()
    },
    notify(runId) {
      hub.notify(runId)
      notify()
    },
  }
}

const LIST_CHANGES: ReadonlySet<EventType> = new Set(['run-waiting', 'approval-request', 'approval-result'])

function changesList({ type, runId, rootRunId }: RunEvent): boolean {
  return LIST_CHANGES.has(type) || ((type === 'run-start' || type === 'run-end') && runId === rootRunId)
}
