import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest } from '../src/text.ts'

const KEYS = ['description', 'model', 'mode', 'tools', 'toolHooks', 'type']

describe('closest', () => {
  it.each([
    ['descripton', 'description'],
    ['Description', 'description'],
    ['modle', 'model'],
    ['tool_hooks', 'toolHooks'],
    ['tool-hook', 'toolHooks'],
    ['tols', 'tools'],
    ['typo', 'type'],
  ])('finds what %s means', (name, key) => {
    expect(closest(name, KEYS)).toBe(key)
  })

  it('finds nothing when nothing is near', () => {
    expect(closest('zebra', KEYS)).toBeUndefined()
    expect(closest('', KEYS)).toBeUndefined()
    expect(closest('x', [])).toBeUndefined()
    expect(closest('x'.repeat(1000), ['x'.repeat(1001)])).toBeUndefined()
  })

  it('finds a name that is there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,9}$/u), { minLength: 1 }), (names) => {
        for (const name of names) expect(closest(name, names)).toBe(name)
      }),
    )
  })
})
