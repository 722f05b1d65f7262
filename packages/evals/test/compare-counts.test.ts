import { describe, expect, it } from 'vitest'
import { compareCounts, type PairedCase, type PassCount } from '../src/index.ts'
import { seededRandom } from './support/seeded-random.ts'

const CASES = 20
const REPEATS = 5

describe('compareCounts', () => {
  it('an equal prompt is called better or worse for at most 5 of 100 seeds', () => {
    const verdicts = seeds().map((seed) => compareCounts(draw(seed, () => 0)).verdict)
    expect(verdicts.filter((verdict) => verdict !== 'not distinguishable').length).toBeLessThanOrEqual(5)
  })

  it('a prompt that breaks a third of the cases is called worse for at least 95 of 100 seeds, and never better', () => {
    const verdicts = seeds().map(
      (seed) => compareCounts(draw(seed, (index) => (index < 7 ? 0.9 : 0))).verdict,
    )
    expect(verdicts.filter((verdict) => verdict === 'worse').length).toBeGreaterThanOrEqual(95)
    expect(verdicts).not.toContain('better')
  })

  it('the same difference in the other direction is called better', () => {
    const worse = draw(1, (index) => (index < 7 ? 0.9 : 0))
    const better = worse.map(({ id, base, current }) => ({ id, base: current, current: base }))
    expect(compareCounts(better).verdict).toBe('better')
  })

  it('a single case is called worse if it breaks completely and has enough repeats', () => {
    const cases = Array.from({ length: CASES }, (_, index) => ({
      id: `case-${index}`,
      base: { passed: 6, counted: 6 },
      current: { passed: index === 3 ? 0 : 6, counted: 6 },
    }))
    const { cases: compared } = compareCounts(cases)
    expect(compared.filter(({ verdict }) => verdict === 'worse').map(({ id }) => id)).toEqual(['case-3'])
  })

  it('a case without counted repeats on one side decides nothing', () => {
    const broken = { id: 'a', base: { passed: 5, counted: 5 }, current: { passed: 0, counted: 0 } }
    const compared = compareCounts([broken])
    expect(compared).toMatchObject({ verdict: 'not distinguishable', pValue: 1, repeatsNeeded: null })
    expect(compared.cases).toEqual([{ id: 'a', verdict: 'not distinguishable', pValue: 1 }])
  })

  it('a difference that is not distinguishable has the number of repeats that would find it', () => {
    const cases = [{ id: 'a', base: { passed: 4, counted: 5 }, current: { passed: 2, counted: 5 } }]
    const { verdict, repeatsNeeded } = compareCounts(cases)
    expect(verdict).toBe('not distinguishable')
    expect(repeatsNeeded).toBeGreaterThan(5)
  })
})

function seeds(): readonly number[] {
  return Array.from({ length: 100 }, (_, seed) => seed)
}

/** Draws the results of 20 cases with pass rates of 0.5 to 1. `loss` is subtracted from the current rate. */
function draw(seed: number, loss: (index: number) => number): readonly PairedCase[] {
  const random = seededRandom(seed)
  const count = (rate: number): PassCount => ({
    passed: Array.from({ length: REPEATS }, random).filter((value) => value < rate).length,
    counted: REPEATS,
  })
  return Array.from({ length: CASES }, (_, index) => {
    const rate = 0.5 + 0.5 * random()
    return { id: `case-${index}`, base: count(rate), current: count(rate - loss(index)) }
  })
}
