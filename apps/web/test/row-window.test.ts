import { expect, it } from 'vitest'
import { offsetsOf, rowsInSight } from '../src/ui/row-window.ts'

it('only the rows in sight and some around them are drawn, whatever their heights', () => {
  const offsets = offsetsOf(Array.from({ length: 1000 }, (_, index) => (index % 10 === 0 ? 20 : 40)))
  expect(offsets.at(-1)).toBe(38_000)
  expect(rowsInSight(offsets, { top: 0, height: 100 })).toEqual({ start: 0, end: 16 })
  // 500 rows above: 50 of 20 px and 450 of 40 px
  expect(rowsInSight(offsets, { top: 19_000, height: 60 })).toEqual({ start: 488, end: 515 })
  expect(rowsInSight(offsets, { top: 37_900, height: 100 }).end).toBe(1000)
})

it('an empty list and a position beyond the end draw no rows that do not exist', () => {
  expect(rowsInSight(offsetsOf([]), { top: 0, height: 100 })).toEqual({ start: 0, end: 0 })
  expect(rowsInSight(offsetsOf([40, 40]), { top: 4000, height: 100 })).toEqual({ start: 0, end: 2 })
})
