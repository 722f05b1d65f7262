import type { Failure, RunReport } from '@troupe/schema'

/** A run that belongs to a connection. */
export interface ConnectedRun {
  readonly principal: string
  readonly stop: AbortController
  /** Resolves when the run has ended. Never rejects. */
  readonly done: Promise<RunReport | Failure>
}

/** Active runs that belong to connections, by run id, so that run control can stop them. */
export type ConnectedRuns = Map<string, ConnectedRun>
