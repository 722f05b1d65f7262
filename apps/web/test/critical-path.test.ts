import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { criticalPath, type PathSpan } from '../src/waterfall/critical-path.ts'

const span = (key: string, from: number, to: number, children: readonly PathSpan[] = []): PathSpan => ({
  key,
  from,
  to,
  children,
})

/** Trees of up to 40 spans, each below one that comes before it. */
const trees = fc
  .array(fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(100)), { minLength: 1, maxLength: 40 })
  .map((rows) => {
    const spans = rows.map(([a, b], index) => ({
      ...span(`${index}`, Math.min(a, b), Math.max(a, b)),
      children: [] as PathSpan[],
    }))
    for (const [index, one] of spans.entries())
      if (index > 0) spans[(rows[index]?.[2] ?? 0) % index]?.children.push(one)
    return spans[0] ?? span('0', 0, 1)
  })

describe('critical path', () => {
  it('the path goes through the child that ended last, and the one that ended before it began', () => {
    const root = span('root', 0, 100, [
      span('first', 5, 30),
      span('short', 10, 20),
      span('second', 40, 90, [span('inner', 50, 95)]),
    ])
    expect(criticalPath(root)).toEqual([
      { key: 'root', from: 90, to: 100 },
      { key: 'inner', from: 50, to: 90 },
      { key: 'second', from: 40, to: 50 },
      { key: 'root', from: 30, to: 40 },
      { key: 'first', from: 5, to: 30 },
      { key: 'root', from: 0, to: 5 },
    ])
  })

  it('children outside of their parent are left out', () => {
    expect(criticalPath(span('root', 0, 10, [span('late', 20, 30)]))).toEqual([
      { key: 'root', from: 0, to: 10 },
    ])
  })

  it('the pieces cover the root exactly once, whatever the children', () => {
    fc.assert(
      fc.property(trees, (root) => {
        const pieces = criticalPath(root).toReversed()
        let at = root.from
        for (const { from, to } of pieces) {
          expect(from).toBe(at)
          at = to
        }
        expect(at).toBe(root.to)
      }),
    )
  })

  it('a tree of 20,000 levels and one of 50,000 children are walked without recursion', () => {
    let deep = span('0', 0, 1)
    for (let level = 1; level <= 20_000; level += 1) deep = span(`${level}`, 0, level + 1, [deep])
    expect(criticalPath(deep)).toHaveLength(20_001)
    const wide = span(
      'root',
      0,
      50_000,
      Array.from({ length: 50_000 }, (_, at) => span(`${at}`, at, at + 1)),
    )
    expect(criticalPath(wide)).toHaveLength(50_000)
  })
})
