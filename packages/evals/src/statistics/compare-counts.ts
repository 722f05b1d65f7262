import { fisherTest, holmAdjust, stratifiedTest, type PassCount } from './exact-tests.ts'
import { repeatsToCall } from './repeats-needed.ts'

/** Largest p-value at which two results count as different. */
export const LEVEL = 0.05

/** One case with the repeats of both sides. */
export interface PairedCase {
  readonly id: string
  readonly base: PassCount
  readonly current: PassCount
}

/** The difference of two results: whether it is distinguishable from chance, and in which direction. */
export interface CountVerdict {
  readonly verdict: 'better' | 'worse' | 'not distinguishable'
  readonly pValue: number
}

/** The comparison of two results over the same cases. */
export interface CountComparison extends CountVerdict {
  /** Repeats per case that would probably settle it; `null` if it is settled or no difference was seen. */
  readonly repeatsNeeded: number | null
  /** In the order of the cases. P-values are adjusted by Holm's method for the number of cases. */
  readonly cases: readonly (CountVerdict & { readonly id: string })[]
}

/**
 * Compares two results case by case with Fisher's test, and in total with the exact stratified test. A case
 * without counted repeats on one side decides nothing.
 */
export function compareCounts(cases: readonly PairedCase[]): CountComparison {
  const counted = cases.filter(({ base, current }) => base.counted > 0 && current.counted > 0)
  const base = counted.map((each) => each.base)
  const current = counted.map((each) => each.current)
  const pValue = stratifiedTest(base, current)
  const difference = counted.reduce((sum, each) => sum + rateDifference(each), 0)
  const total = toVerdict(pValue, difference)
  const adjusted = holmAdjust(counted.map((each) => fisherTest(each.base, each.current)))
  const byId = new Map(
    counted.map((each, index) => [each.id, toVerdict(adjusted[index] ?? 1, rateDifference(each))] as const),
  )
  return {
    ...total,
    repeatsNeeded: total.verdict === 'not distinguishable' ? repeatsToCall(counted) : null,
    cases: cases.map(({ id }) => ({ id, ...(byId.get(id) ?? toVerdict(1, 0)) })),
  }
}

function rateDifference({ base, current }: PairedCase): number {
  return current.passed / current.counted - base.passed / base.counted
}

function toVerdict(pValue: number, difference: number): CountVerdict {
  if (pValue > LEVEL || difference === 0) return { verdict: 'not distinguishable', pValue }
  return { verdict: difference > 0 ? 'better' : 'worse', pValue }
}
