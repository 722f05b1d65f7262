import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTimeMap, findGaps, isFoldedByDefault, type TimePeriod } from '../src/waterfall/time-map.ts'
import { axisTicks, createTimeScale, fit, pan, steppedEnd, zoom } from '../src/waterfall/time-scale.ts'

const START = 1_790_000_000_000

/** Periods of activity on an axis, in ms. */
const periods = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 0, max: 20_000 })), {
    minLength: 1,
    maxLength: 30,
  })
  .map((pairs) => pairs.map(([from, length]) => ({ from: START + from, to: START + from + length })))

function extentOf(active: readonly TimePeriod[]): TimePeriod {
  return {
    from: Math.min(...active.map(({ from }) => from)),
    to: Math.max(...active.map(({ to }) => to)) + 1,
  }
}

const widths = fc.integer({ min: 40, max: 2000 })

describe('folded waits', () => {
  it('a time that is mapped to the folded axis and back is the same, also outside of the axis', () => {
    fc.assert(
      fc.property(
        periods,
        widths,
        fc.double({ min: -1e5, max: 8e5, noNaN: true }),
        (active, width, offset) => {
          const extent = extentOf(active)
          const map = createTimeMap(extent, findGaps(active, extent, width), width)
          expect(map.toReal(map.toCompressed(START + offset))).toBeCloseTo(START + offset, 1)
        },
      ),
    )
  })

  it('a later time has a later position, and the axis ends at its length', () => {
    fc.assert(
      fc.property(periods, widths, fc.nat(600_000), fc.nat(600_000), (active, width, a, b) => {
        const extent = extentOf(active)
        const map = createTimeMap(extent, findGaps(active, extent, width), width)
        expect(map.toCompressed(extent.from)).toBe(0)
        expect(map.toCompressed(extent.to)).toBeCloseTo(map.length, 3)
        expect(map.toCompressed(START + a)).toBeLessThan(map.toCompressed(START + a + 1 + b))
      }),
    )
  })

  it('no activity lies in a folded wait, and each is at least a twentieth of the axis', () => {
    fc.assert(
      fc.property(periods, widths, (active, width) => {
        const extent = extentOf(active)
        for (const gap of findGaps(active, extent, width)) {
          expect(gap.to - gap.from).toBeGreaterThanOrEqual(0.05 * (extent.to - extent.from))
          for (const { from, to } of active) expect(to <= gap.from || from >= gap.to).toBe(true)
        }
      }),
    )
  })

  it('a long wait takes 28 px, on a narrow axis too, and is folded by default', () => {
    const extent = { from: START, to: START + 100_000 }
    const active = [
      { from: START, to: START + 5000 },
      { from: START + 95_000, to: START + 100_000 },
    ]
    for (const width of [120, 300, 1000]) {
      const gaps = findGaps(active, extent, width)
      expect(gaps).toHaveLength(1)
      const { map, toX } = createTimeScale(createTimeMap(extent, gaps, width), undefined, width)
      const [gap = extent] = map.gaps
      expect(toX(gap.to) - toX(gap.from)).toBeCloseTo(28, 3)
      expect(isFoldedByDefault(gaps, extent)).toBe(true)
    }
    expect(isFoldedByDefault([{ from: START, to: START + 40_000 }], extent)).toBe(false)
  })
})

describe('visible period', () => {
  const extent = { from: START, to: START + 10_000 }
  const map = createTimeMap(extent, [{ from: START + 2000, to: START + 8000 }], 1000)
  const whole = createTimeScale(map, undefined, 1000)

  it('zooming keeps the time below the pointer in place', () => {
    const at = whole.toTime(400)
    const after = createTimeScale(map, zoom(whole, 3, 400), 1000)
    expect(after.toX(at)).toBeCloseTo(400, 3)
  })

  it('zooming out far enough shows the whole axis', () => {
    expect(zoom(createTimeScale(map, zoom(whole, 3, 0), 1000), 0.1, 0)).toBeUndefined()
  })

  it('panning stops at both ends of the axis and keeps the length', () => {
    const part = createTimeScale(map, zoom(whole, 4, 500), 1000)
    const right = pan(part, 100)
    expect(right.to).toBeCloseTo(extent.to, 3)
    expect(map.toCompressed(right.to) - map.toCompressed(right.from)).toBeCloseTo(map.length / 4, 3)
    expect(pan(part, -100).from).toBeCloseTo(extent.from, 3)
  })

  it('fitting shows a period with space around it', () => {
    const scale = createTimeScale(map, fit(map, { from: START + 500, to: START + 600 }), 1000)
    expect(scale.toX(START + 500)).toBeGreaterThan(0)
    expect(scale.toX(START + 600)).toBeLessThan(1000)
    expect(scale.toX(START + 600) - scale.toX(START + 500)).toBeGreaterThan(500)
  })

  it('the axis of an active run ends after now and stays the same for a while', () => {
    expect(steppedEnd(START, START)).toBe(START + 1000)
    expect(steppedEnd(START, START + 1100)).toBe(steppedEnd(START, START + 1200))
    expect(steppedEnd(START, START + 1_000_000)).toBeGreaterThan(START + 1_000_000)
  })
})

describe('time axis', () => {
  const ticksOf = (ms: number, width: number) =>
    axisTicks(
      createTimeScale(createTimeMap({ from: START, to: START + ms }, [], width), undefined, width),
    ).map(({ label }) => label)

  it('the axis has labels at round times, and fewer if it is narrow', () => {
    expect(ticksOf(1000, 400)).toEqual(['0 ms', '200 ms', '400 ms', '600 ms', '800 ms'])
    expect(ticksOf(600, 100)).toEqual(['0 ms', '500 ms'].slice(0, ticksOf(600, 100).length))
    expect(ticksOf(600, 20)).toEqual(['0 ms'].slice(0, ticksOf(600, 20).length))
  })

  it('labels never overlap and differ from each other, whatever is folded and visible', () => {
    fc.assert(
      fc.property(periods, widths, fc.double({ min: 1, max: 200, noNaN: true }), (active, width, factor) => {
        const extent = extentOf(active)
        const map = createTimeMap(extent, findGaps(active, extent, width), width)
        const scale = createTimeScale(map, undefined, width)
        const ticks = axisTicks(createTimeScale(map, zoom(scale, factor, width / 2), width))
        for (const [index, { x }] of ticks.slice(1).entries())
          expect(x - (ticks[index]?.x ?? 0)).toBeGreaterThanOrEqual(44)
        expect(ticks.length).toBeLessThan(40)
      }),
    )
  })

  it('both edges of a folded wait have a label where there is space', () => {
    const extent = { from: START, to: START + 100_000 }
    const map = createTimeMap(extent, [{ from: START + 10_000, to: START + 90_000 }], 1000)
    const labels = axisTicks(createTimeScale(map, undefined, 1000)).map(({ label }) => label)
    expect(labels).toContain('1 m 30 s')
  })
})
