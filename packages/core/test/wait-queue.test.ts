import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { WaitQueue, type QueueEntry } from '../src/limiter/semaphore.ts'

it('a wait queue returns its callers in order and skips removed ones, even if it is never empty', () => {
  const step = fc.tuple(fc.constantFrom('push', 'push', 'shift', 'remove'), fc.nat())
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(1500), (steps, before) => {
      const queue = new WaitQueue<number>()
      const expected: number[] = []
      const entries: QueueEntry<number>[] = []
      const seen: unknown[] = []
      const push = (): void => {
        expected.push(entries.length)
        entries.push(queue.push(entries.length))
      }
      const shift = (): unknown => seen.push([queue.shift(), expected.shift()])
      for (let count = 0; count < before; count += 1) push()
      for (let count = 3; count < before; count += 1) shift()
      for (const [what, amount] of steps) {
        const entry = entries[amount % Math.max(1, entries.length)]
        if (what === 'push') push()
        else if (what === 'shift') shift()
        else if (entry !== undefined) {
          const place = entry.value === undefined ? -1 : expected.indexOf(entry.value)
          if (place !== -1) expected.splice(place, 1)
          seen.push([queue.remove(entry), place !== -1])
        }
        seen.push([queue.size, expected.length])
      }
      expect(seen.filter((pair) => Array.isArray(pair) && pair[0] !== pair[1])).toEqual([])
      expect(queue.values().map(({ value }) => value)).toEqual(expected)
    }),
  )
})
