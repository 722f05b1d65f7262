import type { RunHub } from '../feeds/run-hub.ts'
import type { HeadendContext } from '../headend.ts'
import type { ApprovalTracker } from './approval-tracker.ts'
import type { LiveRun } from './live-run.ts'
import type { RunHost } from './run-host.ts'
import type { ReadStore, MemoryRuns } from './memory-runs.ts'

/** Shared state and dependencies of the operations of a run service. */
export interface RunServiceContext extends Pick<
  HeadendContext,
  'clock' | 'newId' | 'runner' | 'connected' | 'onError'
> {
  readonly host: RunHost
  readonly store: ReadStore
  readonly memoryRuns: MemoryRuns
  readonly approvals: ApprovalTracker
  /** Feeds of the runs that clients follow. */
  readonly hub: RunHub
  /** Active runs of this process, by run id. */
  readonly live: Map<string, LiveRun>
  /** True if the process is shutting down. Suspended runs are then left to the next process. */
  isDraining: boolean
  /** Stops checking runs whose leases other processes hold; `undefined` if there are none. */
  stopRecovery?: () => void
}
