import type { Clock } from '@troupe/schema'
import { listRuns } from './list-runs.ts'
import { createMemoryRuns, type ReadStore } from './memory-runs.ts'
import type { RunService } from './run-service.ts'
import { viewRun } from './run-view.ts'

/** The runs of a store, to read. */
export type ReadableRuns = Pick<RunService, 'list' | 'view'>

/** Returns the runs of a store without a service that starts runs. */
export function createReadableRuns(store: ReadStore, clock: Pick<Clock, 'after'>): ReadableRuns {
  const host = { isWaiting: () => false }
  const context = { store, host, live: new Map(), memoryRuns: createMemoryRuns(store, clock) }
  return {
    list: (request) => listRuns(request, context),
    view: (runId, principal) => viewRun({ runId, principal }, context),
  }
}
