import type { EventDraft, RootLog, RunListener } from '@troupe/schema'

/** A root's log that keeps nothing: listeners are told at once. The default of the library. */
export function createDiscardingLog(rootRunId: string): RootLog {
  const listeners = new Map<RunListener, boolean>()
  let seq = 0
  const deliver = (
    draft: EventDraft,
    place: { readonly seq: number } | { readonly after: number },
    isDelta: boolean,
  ): void => {
    const event = { ...draft, rootRunId, ...place }
    for (const [listener, deltas] of listeners) {
      if (isDelta && !deltas) continue
      try {
        listener(event)
      } catch {
        // a listener is a guest: what it throws must not end the run that it watches
      }
    }
  }
  return {
    get active() {
      return listeners.size > 0
    },
    get watched() {
      for (const deltas of listeners.values()) if (deltas) return true
      return false
    },
    keeps: false,
    write: ({ event }) => {
      if (event === undefined || listeners.size === 0) return
      seq += 1
      deliver(event, { seq }, false)
    },
    tell: (event) => deliver(event, { after: seq }, true),
    durable: () => undefined,
    steps: () => new Map(),
    subscribe: (listener, options) => {
      listeners.set(listener, options?.deltas ?? true)
      return () => listeners.delete(listener)
    },
    close: () => listeners.clear(),
  }
}
