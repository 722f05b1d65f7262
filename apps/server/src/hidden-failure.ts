import {
  LOCAL_PRINCIPAL,
  publicEvent,
  TroupeError,
  type Failure,
  type RunEvent,
  type RunStore,
} from '@troupe/schema'

/** Gets a failure that the caller of a run does not see as it is. */
export type OnHidden = (reason: Failure, runId?: string) => void

/** Reports hidden failures to the operator, in one line each. */
export function reportHidden(onError: ((thrown: unknown) => void) | undefined): OnHidden {
  return (reason, runId) => {
    const run = runId === undefined ? 'A run was refused' : `The run ${runId} failed`
    onError?.(new TroupeError({ ...reason, message: `${run}: ${reason.message} ${reason.remediation}` }))
  }
}

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
