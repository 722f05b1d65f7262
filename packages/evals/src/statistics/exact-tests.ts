/** How many of the counted repeats of one case passed. */
export interface PassCount {
  readonly passed: number
  readonly counted: number
}

/** Tolerance for outcomes that are equally probable but differ by rounding. */
const TIE = 1 + 1e-9

const logFactorials = [0]

function logFactorial(n: number): number {
  for (let i = logFactorials.length; i <= n; i += 1)
    logFactorials.push((logFactorials[i - 1] ?? 0) + Math.log(i))
  return logFactorials[n] ?? 0
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k)
}

/**
 * Returns the probability that `inSecond` of all passed repeats fall into the second sample by chance
 * (hypergeometric distribution).
 */
function chanceOf(inSecond: number, first: PassCount, second: PassCount): number {
  const passed = first.passed + second.passed
  return Math.exp(
    logChoose(second.counted, inSecond) +
      logChoose(first.counted, passed - inSecond) -
      logChoose(first.counted + second.counted, passed),
  )
}

/** Returns the possible numbers of passed repeats in the second sample, given all that passed. */
function rangeInSecond(first: PassCount, second: PassCount): readonly [least: number, most: number] {
  const passed = first.passed + second.passed
  return [Math.max(0, passed - first.counted), Math.min(passed, second.counted)]
}

/** Returns the two-sided p-value of Fisher's exact test for one case. */
export function fisherTest(base: PassCount, current: PassCount): number {
  const seen = chanceOf(current.passed, base, current) * TIE
  const [least, most] = rangeInSecond(base, current)
  let sum = 0
  for (let inSecond = least; inSecond <= most; inSecond += 1) {
    const chance = chanceOf(inSecond, base, current)
    if (chance <= seen) sum += chance
  }
  return Math.min(1, sum)
}

/** Returns the two-sided p-value of McNemar's exact test, for the numbers of cases that changed each way. */
export function mcNemarTest(better: number, worse: number): number {
  const changed = better + worse
  if (changed === 0) return 1
  let sum = 0
  for (let i = 0; i <= Math.min(better, worse); i += 1)
    sum += Math.exp(logChoose(changed, i) - changed * Math.LN2)
  return Math.min(1, 2 * sum)
}

/**
 * Returns the two-sided p-value of the exact permutation test over all cases together, stratified by case.
 * Counts at the same index belong to the same case.
 */
export function stratifiedTest(base: readonly PassCount[], current: readonly PassCount[]): number {
  let distribution = [1]
  let seen = 0
  for (const [index, first] of base.entries()) {
    const second = current[index]
    if (second === undefined) continue
    const [least, most] = rangeInSecond(first, second)
    const next = Array.from({ length: distribution.length + second.counted }, () => 0)
    for (let inSecond = least; inSecond <= most; inSecond += 1) {
      const chance = chanceOf(inSecond, first, second)
      for (const [sum, probability] of distribution.entries())
        next[sum + inSecond] = (next[sum + inSecond] ?? 0) + probability * chance
    }
    distribution = next
    seen += second.passed
  }
  const limit = (distribution[seen] ?? 0) * TIE
  let sum = 0
  for (const probability of distribution) if (probability <= limit) sum += probability
  return Math.min(1, sum)
}

/** Adjusts p-values of several tests by Holm's method, so that all of them together keep the level. */
export function holmAdjust(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((_, index) => index).toSorted((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1))
  const adjusted = pValues.map(() => 1)
  let largest = 0
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues[index] ?? 1) * (pValues.length - rank)))
    adjusted[index] = largest
  }
  return adjusted
}
