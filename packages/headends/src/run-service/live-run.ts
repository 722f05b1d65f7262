import type { RunReport } from '@troupe/schema'
import type { RunView } from './run-view.ts'

/** An active run of this process. */
export interface LiveRun {
  readonly principal: string
  /** View of a new run, used until its first event is persisted; `undefined` for a resumed or forked run. */
  readonly queued?: RunView
  readonly stop: AbortController
  /** Resolves when the run has ended or was suspended, with `undefined` if it was refused. Never rejects. */
  readonly done: Promise<RunReport | undefined>
}
