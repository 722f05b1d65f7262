import type { RootLog, RunStore } from '@troupe/schema'

/** The store of the test at hand, with a root `root` that its `owner` has open. */
export interface OpenedStore {
  readonly store: RunStore
  readonly log: RootLog
}
