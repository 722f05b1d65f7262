import type { Clock, RunStore, ValidateArguments } from '@troupe/schema'
import type { TeamSnapshots } from '../reload/team-snapshots.ts'
import type { RootRuns } from '../root-runs/root-runs.ts'

/** Dependencies for starting runs. */
export interface RunsContext {
  readonly clock: Clock
  readonly validate: ValidateArguments
  readonly team: TeamSnapshots
  readonly roots: RootRuns
  /** Throws `usage_invalid` if the host is closed. */
  requireOpen(): void
  /** Returns the store. Throws `usage_invalid` if there is none or the host is closed. */
  requireStore(): RunStore
}
