import { fisherTest, type PassCount } from './exact-tests.ts'

/** Sum of the normal quantiles for a level of 5 % on both sides and a power of 80 %. */
const POWER_QUANTILES = 1.959964 + 0.841621
/** Larger numbers of repeats are not suggested. */
const MOST_REPEATS = 1000

/**
 * Returns the repeats per case with which the stratified test finds a difference as large as the one seen in
 * four of five evaluations, by the normal approximation. `null` if no difference was seen, or more than 1000
 * repeats would be needed.
 */
export function repeatsToCall(
  cases: readonly { readonly base: PassCount; readonly current: PassCount }[],
): number | null {
  let difference = 0
  let variance = 0
  for (const { base, current } of cases) {
    const rate = (base.passed + current.passed) / (base.counted + current.counted)
    difference += current.passed / current.counted - base.passed / base.counted
    variance += 2 * rate * (1 - rate)
  }
  if (difference === 0) return null
  const needed = Math.ceil((POWER_QUANTILES ** 2 * variance) / difference ** 2)
  return needed > MOST_REPEATS ? null : Math.max(2, needed)
}

/**
 * Returns the fewest repeats per side with which a single case among `caseCount` can be called better or
 * worse at all: when it changes completely.
 */
export function repeatsToCallOneCase(caseCount: number): number {
  for (let repeats = 1; ; repeats += 1) {
    const pValue = fisherTest({ passed: repeats, counted: repeats }, { passed: 0, counted: repeats })
    if (pValue * caseCount <= 0.05) return repeats
  }
}
