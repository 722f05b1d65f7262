import type { Budget } from '@troupe/schema'

/** Two budgets as one: the lower of two caps counts. */
export function lowerBudget(one: Budget = {}, other: Budget = {}): Budget {
  const caps = Object.entries(other).map(
    ([kind, cap = Infinity]) => [kind, Math.min(cap, one[kind as keyof Budget] ?? Infinity)] as const,
  )
  return { ...one, ...Object.fromEntries(caps) }
}
