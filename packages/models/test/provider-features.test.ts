import { describe, expect, it } from 'vitest'
import { verifies } from '@troupe/testkit/internal'
import { PROVIDERS } from '../src/providers/provider-table.ts'
import { caseName, PROVIDER_CASES, TOOLLESS_CASE } from './fakes.ts'
import { OBSERVATIONS } from './observe-features.ts'
import { FEATURES, PROVIDER_FEATURES } from './provider-features.ts'

const CASES = new Map([...PROVIDER_CASES, TOOLLESS_CASE].map((provider) => [caseName(provider), provider]))
const CELLS = [...PROVIDER_FEATURES].flatMap(([name, features]) =>
  FEATURES.map((feature) => [name, feature, features[feature]] as const),
)

describe('the table of the features of providers', () => {
  it.each(CELLS)(`%s has the %s that the table names: %s ${verifies('C34')}`, async (name, feature, cell) => {
    const provider = CASES.get(name)
    if (provider === undefined) throw new Error(`There is no case with the name ${name}.`)
    const { reasoningModel } = PROVIDER_FEATURES.get(name) ?? {}
    expect(await OBSERVATIONS[feature](provider, reasoningModel)).toBe(cell)
  })

  it('the table of features has every provider, and every case that is tested', () => {
    const providers = new Set([...PROVIDER_FEATURES.values()].map(({ provider }) => provider))
    expect([...providers].toSorted()).toEqual([...PROVIDERS.keys()].toSorted())
    expect([...PROVIDER_FEATURES.keys()].toSorted()).toEqual([...CASES.keys()].toSorted())
  })
})
