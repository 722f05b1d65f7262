import type { EventDraft, Json, LogEntry, RootLog, RunEvent, RunListener } from '@troupe/schema'

/** A root's log that keeps nothing: listeners are told at once, and a draft becomes the event itself. The default of the library. */
export function createDiscardingLog(rootRunId: string): RootLog {
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
      deliver(all, placed(event, { rootRunId, seq }))
    },
    tell: (event: EventDraft) => deliver(watchers, placed(event, { rootRunId, after: seq })),
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

type Place = Pick<RunEvent, 'rootRunId' | 'seq' | 'after'>

/** The draft itself with its place in the log: it is nobody else's, and `Object.assign` costs more than telling it. */
function placed(event: EventDraft, { rootRunId, seq, after }: Place): RunEvent {
  const target = event as { -readonly [K in keyof Place]: Place[K] }
  target.rootRunId = rootRunId
  if (seq !== undefined) target.seq = seq
  if (after !== undefined) target.after = after
  return event
}

function deliver(listeners: readonly RunListener[], event: RunEvent): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // a listener is a guest: what it throws must not end the run that it watches
    }
  }
}
