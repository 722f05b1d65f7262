import { CellMap } from '@troupe/schema'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Step =
  | { readonly act: 'set' | 'delete'; readonly key: number; readonly value: string }
  | { act: 'clear' }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({ act: fc.constantFrom('set', 'delete'), key: fc.nat(9), value: fc.string() }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('clear' as const) }) },
  ),
  { maxLength: 200 },
)

function apply(
  map: Pick<Map<number, string>, 'delete' | 'clear'> & { set(key: number, value: string): unknown },
  step: Step,
): void {
  if (step.act === 'clear') map.clear()
  else if (step.act === 'set') map.set(step.key, step.value)
  else map.delete(step.key)
}

describe('a map for what comes and goes', () => {
  it('holds what a Map would hold, in the same order', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const map = new Map<number, string>()
        const cells = new CellMap<number, string>()
        for (const step of all) {
          apply(cells, step)
          apply(map, step)
          expect([...cells.entries()]).toEqual([...map])
          expect([...cells.keys()]).toEqual([...map.keys()])
          expect([...cells.values()]).toEqual([...map.values()])
          expect(cells.size).toBe(map.size)
          for (let key = 0; key < 10; key += 1) {
            expect(cells.get(key)).toBe(map.get(key))
            expect(cells.has(key)).toBe(map.has(key))
          }
        }
      }),
    )
  })
})
