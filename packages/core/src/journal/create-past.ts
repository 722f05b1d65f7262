import type { Clock, Json, MaybePromise, ResumeState, RunEvent } from '@troupe/schema'
import { pastTimes, type IdleSpan } from './past-times.ts'

/** The stored state of a run tree that is resumed. */
export interface PastParts {
  readonly events: readonly RunEvent[]
  /** Returns the stored steps of a run. */
  readonly steps: (runId: string) => MaybePromise<ReadonlyMap<string, Json>>
  /** Earlier time spans in which no process worked on the run tree. */
  readonly idle: readonly IdleSpan[]
  readonly clock: Clock
}

/** Groups the stored state of a run tree by run. Times are measured from the moment of this call. */
export function createPast({ events, steps, idle, clock }: PastParts): ResumeState {
  const byRun = Map.groupBy(events, ({ runId }) => runId)
  const parents = new Map(events.map(({ runId, parentRunId }) => [runId, parentRunId]))
  const resumed = new Set<string>()
  const isBelow = (runId: string, above: string): boolean => {
    for (let id: string | undefined = runId; id !== undefined; id = parents.get(id))
      if (id === above) return true
    return false
  }
  const eventsBelow = (above: string): readonly RunEvent[] =>
    events.filter(({ runId }) => isBelow(runId, above))
  const now = clock.now()
  return {
    runCount: byRun.size,
    resumedAt: clock.monotonic(),
    hasRun: (runId) => byRun.has(runId),
    async readRun(runId) {
      resumed.add(runId)
      const own = byRun.get(runId)
      return own === undefined ? undefined : { events: own, steps: await steps(runId) }
    },
    eventsBelow,
    timeBefore: (runId) =>
      pastTimes(eventsBelow(runId), { runId, idle, stoppedAt: events.at(-1)?.time ?? now, now }),
    abandonedRunStarts: () =>
      Array.from(byRun.values())
        .filter((own) => own.every(({ type, runId }) => type !== 'run-end' && !resumed.has(runId)))
        .flatMap((own) => own.find((event) => event.type === 'run-start') ?? [])
        .toSorted((one, other) => other.depth - one.depth),
  }
}
