import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { Tally } from '../src/tally.ts'

describe('a tally', () => {
  it('tells each labels what has come since they were last taken, also where that is nothing', () => {
    const tally = new Tally()
    tally.add(['rest', '200'])
    tally.add(['rest', '200'], 2)
    tally.add(['rest', '404'], 0)
    expect(taken(tally)).toEqual([
      ['rest 200', 3],
      ['rest 404', 0],
    ])
    tally.add(['mcp', '200'], 0.5)
    expect(taken(tally)).toEqual([
      ['rest 200', 0],
      ['rest 404', 0],
      ['mcp 200', 0.5],
    ])
  })

  it('adds up as a table of joined labels does', () => {
    const label = fc.constantFrom('a', 'b', '__proto__')
    const step = fc.record({ labels: fc.tuple(label, label), by: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const tally = new Tally()
        const table = new Map<string, number>()
        for (const { labels, by } of steps) {
          tally.add(labels, by)
          table.set(labels.join(' '), (table.get(labels.join(' ')) ?? 0) + by)
        }
        expect(new Map(taken(tally))).toEqual(table)
      }),
    )
  })
})

function taken(tally: Tally): readonly (readonly [string, number])[] {
  const told: (readonly [string, number])[] = []
  tally.take((labels, by) => told.push([labels.join(' '), by]))
  return told
}
