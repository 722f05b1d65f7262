import type { Json, MaybePromise, RootPast, RunEvent } from '@troupe/schema'

/** What is kept of a root, by run: its events, and the steps as its log gives them. */
export function createPast(
  events: readonly RunEvent[],
  steps: (runId: string) => MaybePromise<ReadonlyMap<string, Json>>,
): RootPast {
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  return {
    size: byRun.size,
    has: (runId) => byRun.has(runId),
    async run(runId) {
      const own = byRun.get(runId)
      return own === undefined ? undefined : { events: own, steps: await steps(runId) }
    },
  }
}
