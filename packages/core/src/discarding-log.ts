import type { EventDraft, Json, LogEntry, RootLog, RunEvent, RunListener } from '@troupe/schema'

/** A root's log that keeps nothing: listeners are told at once, and a draft becomes the event itself. The default of the library. */
export function createDiscardingLog(rootRunId: string): RootLog {
  const listeners = new Map<RunListener, boolean>()
  let seq = 0
  const deliver = (event: RunEvent, isDelta: boolean): void => {
    for (const [listener, deltas] of listeners) {
      if (isDelta && !deltas) continue
      try {
        listener(event)
      } catch {
        // a listener is a guest: what it throws must not end the run that it watches
      }
    }
  }
  const log = {
    active: false,
    watched: false,
    keeps: false,
    write: ({ event }: LogEntry) => {
      if (event === undefined || !log.active) return
      seq += 1
      deliver(Object.assign(event, { rootRunId, seq }), false)
    },
    tell: (event: EventDraft) => deliver(Object.assign(event, { rootRunId, after: seq }), true),
    durable: () => undefined,
    steps: () => new Map<string, Json>(),
    subscribe: (listener: RunListener, options?: { readonly deltas?: boolean }) => {
      listeners.set(listener, options?.deltas ?? true)
      count()
      return () => {
        listeners.delete(listener)
        count()
      }
    },
    close: () => {
      listeners.clear()
      count()
    },
  }
  const count = (): void => {
    log.active = listeners.size > 0
    log.watched = [...listeners.values()].includes(true)
  }
  return log
}
