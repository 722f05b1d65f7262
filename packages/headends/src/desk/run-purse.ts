import type { RunReport } from '@troupe/schema'

/** Who pays for runs that do not come through the runner of the context: those that are gone on with, and forks. */
export interface RunPurse {
  /** Rejects where the principal may not begin another run. */
  open(principal: string): Promise<void>
  close(principal: string, report: RunReport): void
}
