import type {
  Clock,
  RootFilter,
  RunEvent,
  RunListener,
  RunStore,
  SessionKey,
  StoredRoot,
} from '@troupe/schema'

/** What a desk reads of runs. */
export type ReadStore = Pick<RunStore, 'roots' | 'list' | 'events' | 'steps'>

/** Runs of a desk whose agents keep nothing: from memory they can be watched while they are at work, and for a minute after. */
export interface UnkeptRuns {
  /** The store, with these runs in all but `list`. */
  readonly store: ReadStore
  /** Returns those of a principal, in the order in which they began. */
  roots(principal: string): readonly StoredRoot[]
  /** A run begins. It is told of every event, and when it is over. */
  begin(runId: string, session: SessionKey): { readonly tell: RunListener; end(): void }
  /** Forgets all. */
  close(): void
}

interface UnkeptRun {
  readonly session: SessionKey
  readonly events: RunEvent[]
  isOpen: boolean
  /** Stops that it is forgotten. */
  stay?: () => void
}

/** How long a run is remembered that has ended, in ms: for who was told that it is at work, and comes to see. */
const AFTER_MS = 60_000

/** None yet. */
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
