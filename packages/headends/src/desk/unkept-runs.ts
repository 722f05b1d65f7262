import type {
  Clock,
  RootFilter,
  RunEvent,
  RunListener,
  RunStore,
  SessionKey,
  StoredRoot,
} from '@troupe/schema'

/** Read access to a run store. */
export type ReadStore = Pick<RunStore, 'roots' | 'list' | 'events' | 'steps'>

/**
 * Runs of agents that persist nothing. They can be read from memory while they are active and for a minute
 * after.
 */
export interface UnkeptRuns {
  /** The store, with these runs included in `roots` and `events`. */
  readonly store: ReadStore
  /** Returns the runs of a principal, the oldest first. */
  roots(principal: string): readonly StoredRoot[]
  /** Adds a run. The result receives its events and its end. */
  begin(runId: string, session: SessionKey): { readonly tell: RunListener; end(): void }
  /** Removes all runs. */
  close(): void
}

interface UnkeptRun {
  readonly session: SessionKey
  readonly events: RunEvent[]
  isOpen: boolean
  /** Cancels the eviction timer. */
  stay?: () => void
}

/** Time that a run stays readable after its end, in ms. */
const AFTER_MS = 60_000

/** Creates an empty collection over a store. */
export function createUnkeptRuns(store: ReadStore, clock: Pick<Clock, 'after'>): UnkeptRuns {
  const runs = new Map<string, UnkeptRun>()
  const unkept = ({ principal, sessionId, rootRunId }: Partial<RootFilter> = {}): readonly StoredRoot[] =>
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
    roots: (principal) => unkept({ principal }),
    store: {
      roots: async (filter) => [...(await store.roots(filter)), ...unkept(filter)],
      list: (query) => store.list(query),
      events: (rootRunId, range) => {
        const run = runs.get(rootRunId)
        if (run === undefined) return store.events(rootRunId, range)
        const { after = 0, limit = Infinity } = range ?? {}
        return run.events.filter(({ seq = 0 }) => seq > after).slice(0, limit)
      },
      steps: (rootRunId, runId) => store.steps(rootRunId, runId),
    },
    begin(runId, session) {
      const run: UnkeptRun = { session, events: [], isOpen: true }
      runs.set(runId, run)
      return {
        tell(event) {
          if (event.seq !== undefined) run.events.push(event)
        },
        end() {
          run.isOpen = false
          run.stay = clock.after(AFTER_MS, () => runs.delete(runId))
        },
      }
    },
    close() {
      for (const { stay } of runs.values()) stay?.()
      runs.clear()
    },
  }
}

function toRoot([rootRunId, { session, events, isOpen }]: readonly [string, UnkeptRun]): StoredRoot {
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
