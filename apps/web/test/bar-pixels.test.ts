import { describe, expect, it } from 'vitest'
import { drawSegments } from '../src/waterfall/bar-pixels.ts'
import type { Segment } from '../src/waterfall/segment.ts'
import { createTimeMap } from '../src/waterfall/time-map.ts'
import { createTimeScale } from '../src/waterfall/time-scale.ts'

const scaleOf = (from: number, to: number) =>
  createTimeScale(createTimeMap({ from: 0, to: 10_000 }, [], 500), { from, to }, 500)

const models = (count: number): readonly Segment[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'model', from: 8 * index, to: 8 * index + 4 }))

describe('drawn bar', () => {
  it('a thousand short segments are one part until they are zoomed in', () => {
    expect(drawSegments(models(1000), scaleOf(0, 10_000))).toEqual([
      { kind: 'model', tone: undefined, x: 0, width: 401.6 },
    ])
    expect(drawSegments(models(1000), scaleOf(0, 80))).toHaveLength(10)
  })

  it('a failed segment keeps its own part, and a short one is at least 2 px wide', () => {
    const drawn = drawSegments(
      [...models(10), { kind: 'model', from: 4000, to: 4001, tone: 'failed' }],
      scaleOf(0, 10_000),
    )
    expect(drawn.at(-1)).toEqual({ kind: 'model', tone: 'failed', x: 200, width: 2 })
  })

  it('segments outside of the visible period and those that continue are not drawn', () => {
    const open: Segment = { kind: 'tool', from: 0, to: undefined }
    expect(drawSegments([open, ...models(10)], scaleOf(5000, 6000))).toEqual([])
  })
})
