import type { Budget, RunReport } from '@troupe/schema'

/** Budget for all turns of a chat together. */
export interface ChatBudgetTracker {
  readonly limits: Budget
  /** Cost (USD) and tokens used since the program started. Turns with an unknown price count as 0 USD. */
  readonly spent: Required<Budget>
  /** True if the price of a turn is not known. */
  readonly isUnpriced: boolean
  /** Returns the budget of the next turn; `undefined` if it is used up. */
  remaining(): Budget | undefined
  add(usage: RunReport['usage']): void
  /** Replaces the limits. Past usage counts against the new ones. */
  setLimits(limits: Budget): void
}

/** Creates a budget in money, tokens, or both. */
export function createChatBudget(initial: Budget): ChatBudgetTracker {
  let limits = initial
  let cost = 0
  let tokens = 0
  let isUnpriced = false
  return {
    get limits() {
      return limits
    },
    get spent() {
      return { maxCost: cost, maxTokens: tokens }
    },
    get isUnpriced() {
      return isUnpriced
    },
    remaining() {
      const { maxCost, maxTokens } = limits
      const remaining: Budget = {
        ...(maxCost === undefined ? {} : { maxCost: maxCost - cost }),
        ...(maxTokens === undefined ? {} : { maxTokens: maxTokens - tokens }),
      }
      return Object.values(remaining).some((amount) => amount <= 0) ? undefined : remaining
    },
    add(usage) {
      cost += usage.cost ?? 0
      isUnpriced ||= usage.cost === null
      tokens += usage.inputTokens + usage.outputTokens
    },
    setLimits(newLimits) {
      limits = newLimits
    },
  }
}
