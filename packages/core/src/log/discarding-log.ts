import {
  assignSequence,
  type EventDraft,
  type Json,
  type LogEntry,
  type RunTreeLog,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'

/** Creates a log that stores nothing and calls its listeners synchronously. The default of the library. */
export function createDiscardingLog(): RunTreeLog {
  const listeners = new Map<RunListener, boolean>()
  let all: readonly RunListener[] = []
  let watchers: readonly RunListener[] = []
  let seq = 0
  const log = {
    isActive: false,
    hasDeltaListeners: false,
    isPersistent: false,
    append: ({ event }: LogEntry) => {
      if (event === undefined || !log.isActive) return
      seq += 1
      deliver(all, assignSequence(event, { seq }))
    },
    emitTransient: (event: EventDraft) => deliver(watchers, assignSequence(event, { after: seq })),
    waitForCommit: () => undefined,
    steps: () => new Map<string, Json>(),
    subscribe: (listener: RunListener, options?: { readonly deltas?: boolean }) => {
      listeners.set(listener, options?.deltas ?? true)
      refresh()
      return () => {
        listeners.delete(listener)
        refresh()
      }
    },
    close: () => {
      listeners.clear()
      refresh()
    },
  }
  const refresh = (): void => {
    all = [...listeners.keys()]
    watchers = all.filter((listener) => listeners.get(listener))
    log.isActive = all.length > 0
    log.hasDeltaListeners = watchers.length > 0
  }
  return log
}

function deliver(listeners: readonly RunListener[], event: RunEvent): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // a listener that throws must not end the run
    }
  }
}
