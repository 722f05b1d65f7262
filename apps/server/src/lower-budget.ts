import type { Budget } from '@troupe/schema'

/** Merges two budgets. The lower of two caps applies. */
export function lowerBudget(one: Budget = {}, other: Budget = {}): Budget {
  const caps = Object.entries(other).map(
    ([kind, cap = Infinity]) => [kind, Math.min(cap, one[kind as keyof Budget] ?? Infinity)] as const,
  )
  return { ...one, ...Object.fromEntries(caps) }
}
