import { parseDuration } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('parseDuration', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    [1.6, 2],
    ['250', 250],
    ['500ms', 500],
    ['120s', 120_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    [' 2 m ', 120_000],
  ])(`parseDuration reads %j as %d ms ${verifies('R4')}`, (value, ms) => {
    expect(parseDuration(value)).toBe(ms)
  })

  it.each([
    [-1],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [''],
    ['s'],
    ['-5s'],
    ['5 weeks'],
    ['1e3'],
    ['5s5'],
    ['0x10'],
    [null],
    [true],
    [{}],
  ])('parseDuration rejects %j', (value) => {
    expect(parseDuration(value)).toBeUndefined()
  })

  it('parseDuration returns a whole number of ms for every unit, or rejects the text', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.constantFrom('ms', 's', 'm', 'h', 'd'),
        fc.string(),
        (amount, unit, noise) => {
          expect(parseDuration(`${amount}${unit}`)).toBeGreaterThanOrEqual(amount)
          const read = parseDuration(noise)
          expect(read === undefined || Number.isSafeInteger(read)).toBe(true)
        },
      ),
    )
  })
})
