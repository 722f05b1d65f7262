import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fisherTest,
  holmAdjust,
  mcNemarTest,
  repeatsToCall,
  repeatsToCallOneCase,
  stratifiedTest,
  wilsonInterval,
  type PassCount,
} from '../src/index.ts'
import { seededRandom } from './support/seeded-random.ts'

const of = (passed: number, counted: number): PassCount => ({ passed, counted })
const counts = fc
  .integer({ min: 1, max: 12 })
  .chain((counted) => fc.integer({ min: 0, max: counted }).map((passed) => of(passed, counted)))
const pairs = fc.array(fc.tuple(counts, counts), { minLength: 1, maxLength: 8 })

describe('the statistics', () => {
  it.each([
    [5, 5, 0.5655, 1],
    [9, 10, 0.5958, 0.9821],
    [18, 20, 0.699, 0.9721],
    [38, 40, 0.835, 0.9862],
  ])('the Wilson interval of %i of %i is %f to %f', (passed, counted, low, high) => {
    const interval = wilsonInterval(passed, counted) ?? [NaN, NaN]
    expect(interval[0]).toBeCloseTo(low, 3)
    expect(interval[1]).toBeCloseTo(high, 3)
  })

  it('the Wilson interval of nothing is undefined', () => {
    expect(wilsonInterval(0, 0)).toBeUndefined()
  })

  it.each([
    [2, 0.1667],
    [1, 0.0476],
    [0, 0.0079],
  ])("Fisher's test of 5 of 5 against %i of 5 has the p-value %f", (passed, pValue) => {
    expect(fisherTest(of(5, 5), of(passed, 5))).toBeCloseTo(pValue, 4)
  })

  it("Fisher's test of 50 of 50 against three runs has the printed p-values", () => {
    expect(fisherTest(of(50, 50), of(0, 3))).toBeCloseTo(0.00004, 5)
    expect(fisherTest(of(50, 50), of(1, 3))).toBeCloseTo(0.0022, 4)
  })

  it.each([
    [0, 5, 0.0625],
    [0, 6, 0.0313],
    [1, 8, 0.0391],
    [0, 0, 1],
  ])("McNemar's test of %i and %i changed cases has the p-value %f", (better, worse, pValue) => {
    expect(mcNemarTest(better, worse)).toBeCloseTo(pValue, 4)
  })

  it('the stratified test of 5, 4, 3 against 1, 4, 2 of 5 has the p-value 0.1288', () => {
    const base = [of(5, 5), of(4, 5), of(3, 5)]
    expect(stratifiedTest(base, [of(1, 5), of(4, 5), of(2, 5)])).toBeCloseTo(0.1288, 4)
  })

  it('the stratified test of one case is the test of Fisher', () => {
    fc.assert(
      fc.property(counts, counts, (base, current) => {
        expect(stratifiedTest([base], [current])).toBeCloseTo(fisherTest(base, current), 9)
      }),
    )
  })

  it('p-values are probabilities and do not depend on which side is the base', () => {
    fc.assert(
      fc.property(pairs, (cases) => {
        const base = cases.map(([first]) => first)
        const current = cases.map(([, second]) => second)
        const pValue = stratifiedTest(base, current)
        expect(pValue).toBeGreaterThan(0)
        expect(pValue).toBeLessThanOrEqual(1)
        expect(stratifiedTest(current, base)).toBeCloseTo(pValue, 9)
      }),
    )
  })

  it('a result is never different from itself', () => {
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 8 }), (cases) => {
        expect(stratifiedTest(cases, cases)).toBeGreaterThan(0.05)
      }),
    )
  })

  it('the Wilson interval contains the rate and becomes narrower with more repeats', () => {
    fc.assert(
      fc.property(counts, ({ passed, counted }) => {
        const [low, high] = wilsonInterval(passed, counted) ?? [NaN, NaN]
        const [lowOfMore, highOfMore] = wilsonInterval(passed * 4, counted * 4) ?? [NaN, NaN]
        expect(low).toBeLessThanOrEqual(passed / counted + 1e-9)
        expect(high).toBeGreaterThanOrEqual(passed / counted - 1e-9)
        expect(highOfMore - lowOfMore).toBeLessThan(high - low)
      }),
    )
  })

  it("Holm's method multiplies the smallest p-value by the number of tests", () => {
    expect(holmAdjust([0.04, 0.01, 0.03])).toEqual([0.06, 0.03, 0.06])
    expect(holmAdjust([])).toEqual([])
  })

  it('a single case among 20 can be called from 6 repeats on', () => {
    expect(repeatsToCallOneCase(20)).toBe(6)
    expect(repeatsToCallOneCase(1)).toBe(4)
  })

  it('as many repeats as suggested find the difference in most evaluations', () => {
    const seen = Array.from({ length: 10 }, () => ({ base: of(4, 5), current: of(3, 5) }))
    const needed = repeatsToCall(seen)
    expect(needed).toBeGreaterThan(5)
    const random = seededRandom(7)
    const draw = (rate: number): PassCount => of(binomial(needed ?? 0, rate, random), needed ?? 0)
    const found = Array.from({ length: 200 }, () =>
      stratifiedTest(
        seen.map(() => draw(0.8)),
        seen.map(() => draw(0.6)),
      ),
    ).filter((pValue) => pValue <= 0.05)
    expect(found.length / 200).toBeGreaterThan(0.7)
    expect(found.length / 200).toBeLessThan(0.95)
  })

  it('no number of repeats is suggested without a difference', () => {
    expect(repeatsToCall([{ base: of(3, 5), current: of(3, 5) }])).toBeNull()
  })
})

function binomial(count: number, rate: number, random: () => number): number {
  return Array.from({ length: count }, random).filter((value) => value < rate).length
}
