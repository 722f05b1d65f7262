import type { Clock, RunStore, ValidateArguments } from '@troupe/schema'
import type { TeamGenerations } from '../reload/team-generations.ts'
import type { RootRuns } from '../roots/root-runs.ts'

/** What the runs of a host are made with. */
export interface RunsContext {
  readonly clock: Clock
  readonly validate: ValidateArguments
  readonly team: TeamGenerations
  readonly roots: RootRuns
  /** Throws `usage_invalid` when the host is closed. */
  requireOpen(): void
  /** Where runs are kept. Throws `usage_invalid` where there is no such place, or the host is closed. */
  requireStore(): RunStore
}
