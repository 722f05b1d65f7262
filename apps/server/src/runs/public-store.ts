import { LOCAL_PRINCIPAL, publicEvent, type RunEvent, type RunStore } from '@troupe/schema'

/** Wraps a store for run control. Hides private details of failures, except in runs of the operator. */
export function publicStore(store: RunStore): Pick<RunStore, 'roots' | 'list' | 'events' | 'steps'> {
  return {
    roots: (filter) => store.roots(filter),
    list: (query) => store.list(query),
    steps: (rootRunId, runId) => store.steps(rootRunId, runId),
    async events(rootRunId, range) {
      const events = await store.events(rootRunId, range)
      const shown = events.map(publicEvent)
      // Most pages contain no failure, so the owner of the run need not be looked up.
      if (isSame(events, shown)) return events
      const [own] = await store.roots({ principal: LOCAL_PRINCIPAL, rootRunId })
      return own === undefined ? shown : events
    },
  }
}

function isSame(events: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  return events.every((event, index) => event === shown[index])
}
