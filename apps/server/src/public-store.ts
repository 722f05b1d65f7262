import { LOCAL_PRINCIPAL, publicEvent, type RunEvent, type RunStore } from '@troupe/schema'

/** The store as run control reads it: failures of runs of other principals than the operator are those that may leave the server. */
export function publicStore(store: RunStore): Pick<RunStore, 'roots' | 'list' | 'events' | 'steps'> {
  return {
    roots: (filter) => store.roots(filter),
    list: (query) => store.list(query),
    steps: (rootRunId, runId) => store.steps(rootRunId, runId),
    async events(rootRunId, range) {
      const events = await store.events(rootRunId, range)
      const shown = events.map(publicEvent)
      // most pages hold no failure, and need no look at the run they are of
      if (isSame(events, shown)) return events
      const [own] = await store.roots({ principal: LOCAL_PRINCIPAL, rootRunId })
      return own === undefined ? shown : events
    },
  }
}

function isSame(events: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  return events.every((event, index) => event === shown[index])
}
