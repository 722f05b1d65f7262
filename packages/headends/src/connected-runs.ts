import type { CellMap, Failure, RunReport } from '@troupe/schema'

/** A run that belongs to a connection. */
export interface ConnectedRun {
  readonly principal: string
  readonly stop: AbortController
  /** It has ended. Never rejects. */
  readonly done: Promise<RunReport | Failure>
}

/** The runs of connections that are at work, by their ids: so that others can stop them. */
export type ConnectedRuns = CellMap<string, ConnectedRun>
