import {
  placeEvent,
  type EventDraft,
  type Json,
  type LogEntry,
  type RootLog,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'

/** Creates a log that stores nothing and calls its listeners synchronously. The default of the library. */
export function createDiscardingLog(): RootLog {
  const listeners = new Map<RunListener, boolean>()
  let all: readonly RunListener[] = []
  let watchers: readonly RunListener[] = []
  let seq = 0
  const log = {
    active: false,
    watched: false,
    keeps: false,
    write: ({ event }: LogEntry) => {
      if (event === undefined || !log.active) return
      seq += 1
      deliver(all, placeEvent(event, { seq }))
    },
    tell: (event: EventDraft) => deliver(watchers, placeEvent(event, { after: seq })),
    durable: () => undefined,
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
    log.active = all.length > 0
    log.watched = watchers.length > 0
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
