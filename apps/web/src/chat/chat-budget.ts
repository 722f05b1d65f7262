/** What one message may use at most; undefined: what the card says. */
export interface ChatBudget {
  /** In USD. */
  readonly maxCost?: number | undefined
  readonly maxTokens?: number | undefined
  /** In seconds. */
  readonly timeout?: number | undefined
}

/** The budget in the words of the server. */
export function toRunLimits({ maxCost, maxTokens, timeout }: ChatBudget): {
  readonly budget?: { readonly maxCost?: number; readonly maxTokens?: number }
  readonly timeout?: number
} {
  const budget = {
    ...(maxCost === undefined ? {} : { maxCost }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  }
  return {
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(timeout === undefined ? {} : { timeout: Math.round(1000 * timeout) }),
  }
}

/** The budget in few words: `≤ $0.50, 20k tokens`; empty: there is none. */
export function budgetText({ maxCost, maxTokens, timeout }: ChatBudget): string {
  const caps = [
    maxCost === undefined ? '' : `$${maxCost}`,
    maxTokens === undefined ? '' : `${maxTokens} tokens`,
    timeout === undefined ? '' : `${timeout} s`,
  ].filter((cap) => cap !== '')
  return caps.length === 0 ? '' : `≤ ${caps.join(', ')}`
}
