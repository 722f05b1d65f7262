import type { RunTreeLog, RunStore } from '@troupe/schema'

/** Store of the current test. Its root run `root` is open and owned by `owner`. */
export interface OpenedStore {
  readonly store: RunStore
  readonly log: RunTreeLog
}
