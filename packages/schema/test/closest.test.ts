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
  ])('closest finds the name that %s means', (name, key) => {
    expect(closest(name, KEYS)).toBe(key)
  })

  it('closest returns undefined if no name is close', () => {
    expect(closest('zebra', KEYS)).toBeUndefined()
    expect(closest('', KEYS)).toBeUndefined()
    expect(closest('x', [])).toBeUndefined()
    expect(closest('x'.repeat(1000), ['x'.repeat(1001)])).toBeUndefined()
  })

  it('closest returns a name that exists', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,9}$/u), { minLength: 1 }), (names) => {
        for (const name of names) expect(closest(name, names)).toBe(name)
      }),
    )
  })
})
