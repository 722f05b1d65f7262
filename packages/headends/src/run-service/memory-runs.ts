import type { Clock, RunEvent, RunListener } from '@troupe/schema'
import type { RootRunFilter, RunStore, SessionKey, RootRunRecord } from '@troupe/schema/ports'

/** Read access to a run store. */
export type ReadStore = Pick<RunStore, 'roots' | 'list' | 'events' | 'steps' | 'follow'>

/**
 * Runs of agents that persist nothing. They can be read from memory while they are active and for a minute
 * after.
 */
export interface MemoryRuns {
  /** The store, with these runs included in `roots` and `events`. */
  readonly store: ReadStore
  /** Returns the runs that match the filter, the oldest first. */
  roots(filter: RootRunFilter): readonly RootRunRecord[]
  /** Adds a run. The result receives its events and its end. */
  add(runId: string, session: SessionKey): { readonly record: RunListener; end(): void }
  /** Removes all runs. */
  close(): void
}

interface MemoryRun {
  readonly session: SessionKey
  readonly events: RunEvent[]
  isOpen: boolean
  /** Cancels the eviction timer. */
  cancelEviction?: () => void
}

/** Time that a run stays readable after its end, in ms. */
const READABLE_MS = 60_000

/** Creates an empty collection over a store. */
export function createMemoryRuns(store: ReadStore, clock: Pick<Clock, 'after'>): MemoryRuns {
  const runs = new Map<string, MemoryRun>()
  const findRoots = ({ principal, sessionId, rootRunId }: RootRunFilter = {}): readonly RootRunRecord[] =>
    [...runs]
      .filter(
        ([id, { session, events }]) =>
          events.length > 0 &&
          (principal === undefined || principal === session.principal) &&
          (sessionId === undefined || sessionId === session.sessionId) &&
          (rootRunId === undefined || rootRunId === id),
      )
      .map(toRoot)
  return {
    roots: findRoots,
    store: {
      roots: async (filter) => [...(await store.roots(filter)), ...findRoots(filter)],
      list: (query) => store.list(query),
      events: (rootRunId, range) => {
        const run = runs.get(rootRunId)
        if (run === undefined) return store.events(rootRunId, range)
        const { after = 0, limit = Infinity } = range ?? {}
        return run.events.filter(({ seq = 0 }) => seq > after).slice(0, limit)
      },
      steps: (rootRunId, runId) => store.steps(rootRunId, runId),
      ...(store.follow === undefined ? {} : { follow: store.follow }),
    },
    add(runId, session) {
      const run: MemoryRun = { session, events: [], isOpen: true }
      runs.set(runId, run)
      return {
        record(event) {
          if (event.seq !== undefined) run.events.push(event)
        },
        end() {
          run.isOpen = false
          run.cancelEviction = clock.after(READABLE_MS, () => runs.delete(runId))
        },
      }
    },
    close() {
      for (const { cancelEviction } of runs.values()) cancelEviction?.()
      runs.clear()
    },
  }
}

function toRoot([rootRunId, { session, events, isOpen }]: readonly [string, MemoryRun]): RootRunRecord {
  const last = events.at(-1)
  return {
    rootRunId,
    session,
    open: isOpen,
    lastSeq: last?.seq ?? 0,
    detail: 'metadata',
    ...(last === undefined ? {} : { changedAt: last.time }),
  }
}
