import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'LIST_PRICES',
    'PROVIDER_KEYS',
    'PROVIDER_NAMES',
    'checkModel',
    'listPrice',
    'outputNotes',
    'parseModelId',
    'providerConfigSchema',
    'resolveModel',
    'scriptJsonSchema',
    'toolRefusals',
    'toolSchema',
  ])
})
