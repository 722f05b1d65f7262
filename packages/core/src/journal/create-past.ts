import type { Json, MaybePromise, RootPast, RunEvent } from '@troupe/schema'

/** What is kept of a root, by run: its events, and the steps as its log gives them. */
export function createPast(
  events: readonly RunEvent[],
  steps: (runId: string) => MaybePromise<ReadonlyMap<string, Json>>,
): RootPast {
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  const parents = new Map(events.map(({ runId, parentRunId }) => [runId, parentRunId]))
  const askedFor = new Set<string>()
  const isBelow = (runId: string, above: string): boolean => {
    for (let id: string | undefined = runId; id !== undefined; id = parents.get(id))
      if (id === above) return true
    return false
  }
  return {
    size: byRun.size,
    has: (runId) => byRun.has(runId),
    async run(runId) {
      askedFor.add(runId)
      const own = byRun.get(runId)
      return own === undefined ? undefined : { events: own, steps: await steps(runId) }
    },
    eventsBelow: (above) => events.filter(({ runId }) => isBelow(runId, above)),
    abandoned: () =>
      Array.from(byRun.values())
        .filter((own) => own.every(({ type, runId }) => type !== 'run-end' && !askedFor.has(runId)))
        .flatMap((own) => own.find((event) => event.type === 'run-start') ?? [])
        .toSorted((one, other) => other.depth - one.depth),
  }
}
