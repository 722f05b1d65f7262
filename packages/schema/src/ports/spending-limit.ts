import type { Budget, BudgetLedger } from './budget-ledger.ts'

/**
 * A limit on the total usage of all runs of one principal in a time window. Pass it as
 * `RunOptions.spendingLimit`.
 */
export interface SpendingLimit {
  /**
   * Opens the budget ledger of one run tree. Each of its model calls is reserved from the limit before it is
   * sent.
   */
  openLedger(budget?: Budget): BudgetLedger
}
