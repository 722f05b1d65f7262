import type { CellMap } from '@troupe/schema'
import type { RunHub } from '../feeds/run-hub.ts'
import type { HeadendContext } from '../headend.ts'
import type { ApprovalTracker } from './approval-tracker.ts'
import type { LiveRun } from './live-run.ts'
import type { RunHost } from './run-host.ts'
import type { ReadStore, UnkeptRuns } from './unkept-runs.ts'

/** What the runs of one desk share. */
export interface DeskContext extends Pick<
  HeadendContext,
  'clock' | 'newId' | 'runner' | 'connected' | 'onError'
> {
  readonly host: RunHost
  readonly store: ReadStore
  readonly unkept: UnkeptRuns
  readonly approvals: ApprovalTracker
  /** Who follows which run. */
  readonly hub: RunHub
  /** The runs at work here, by their ids. */
  readonly live: CellMap<string, LiveRun>
  /** True once the process is about to end: runs that are at rest are left to the next one. */
  isDraining: boolean
  /** Ends the watch over runs that other processes had the lease of; `undefined` if there is none. */
  stopRecovery?: () => void
}
