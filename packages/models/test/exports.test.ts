import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('the entry point exports these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'LIST_PRICES',
    'PROVIDER_KEYS',
    'PROVIDER_NAMES',
    'checkModel',
    'embeddingModelProblem',
    'listPrice',
    'openScript',
    'outputNotes',
    'parseModelId',
    'parseScript',
    'providerConfigSchema',
    'providerProblem',
    'resolveEmbeddingModel',
    'resolveModel',
    'scriptJsonSchema',
    'scriptSchema',
    'toolRefusals',
    'toolSchema',
    'unsupportedProviderTool',
  ])
})
