import type { Budget, Purse } from './purse.ts'

/** A limit on what all runs of one principal use together in a time window. It is passed to each of them as `RunOptions.spendingLimit`. */
export interface SpendingLimit {
  /** Opens the budget of one run tree. Each model call in it is reserved from the limit before it is sent. */
  openPurse(budget?: Budget): Purse
}
