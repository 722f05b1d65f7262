import type { RunReport } from '@troupe/schema'
import type { RunView } from './run-view.ts'

/** A run at work here. */
export interface LiveRun {
  readonly principal: string
  /** How it stands until something of it is kept; none: something is. */
  readonly queued?: RunView
  readonly stop: AbortController
  /** It has ended, or is left until somebody decides; undefined: it was refused. Never rejects. */
  readonly done: Promise<RunReport | undefined>
}
