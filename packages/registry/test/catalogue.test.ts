import { defineAgent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createCatalogue } from '../src/index.ts'

const agent = (name: string, instruction = 'Help.') => defineAgent({ name, instruction })

describe('createCatalogue', () => {
  it(`createCatalogue holds one definition for each name, which every parent refers to ${verifies('A9')}`, () => {
    const [ny, london] = [agent('NY'), agent('London')]
    const catalogue = createCatalogue([ny, london])
    expect(catalogue.get('NY')).toBe(ny)
    expect(catalogue.byDigest(london.digest)).toBe(london)
    expect(catalogue.all()).toEqual([ny, london])
  })

  it('createCatalogue finds nothing for names of inherited object properties', () => {
    const catalogue = createCatalogue([agent('NY')])
    expect(catalogue.get('constructor')).toBeUndefined()
    expect(catalogue.get('__proto__')).toBeUndefined()
    expect(catalogue.byDigest('toString')).toBeUndefined()
  })

  it('createCatalogue rejects two agents with the same name and reports both locations', () => {
    const first = agent('NY')
    const second = { ...agent('NY', 'Other.'), source: { kind: 'file' as const, path: 'cards/ny.md' } }
    expect(() => createCatalogue([first, second])).toThrowError(
      expect.objectContaining({
        code: 'card_duplicate_name',
        message: expect.stringMatching(/defineAgent\(NY\).*cards\/ny\.md/u),
      }),
    )
  })
})
