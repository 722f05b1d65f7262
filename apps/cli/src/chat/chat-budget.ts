import type { Budget, RunReport } from '@troupe/schema'

/** What the turns of a chat may use together. */
export interface ChatBudget {
  readonly limits: Budget
  /** In USD and in tokens, since the program began. Turns whose price is not known cost nothing here. */
  readonly spent: Required<Budget>
  /** True if the price of a turn is not known. */
  readonly isUnpriced: boolean
  /** What the next turn may use; undefined: nothing is left. */
  left(): Budget | undefined
  add(usage: RunReport['usage']): void
  /** Sets other limits; what was used counts against them. */
  limit(limits: Budget): void
}

/** A budget over all turns, in money, tokens, or both. */
export function createChatBudget(initial: Budget): ChatBudget {
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
    left() {
      const { maxCost, maxTokens } = limits
      const left: Budget = {
        ...(maxCost === undefined ? {} : { maxCost: maxCost - cost }),
        ...(maxTokens === undefined ? {} : { maxTokens: maxTokens - tokens }),
      }
      return Object.values(left).some((amount) => amount <= 0) ? undefined : left
    },
    add(usage) {
      cost += usage.cost ?? 0
      isUnpriced ||= usage.cost === null
      tokens += usage.inputTokens + usage.outputTokens
    },
    limit(given) {
      limits = given
    },
  }
}
