import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'PERMISSIVE_INPUT',
    'acceptedInputSchema',
    'agentTool',
    'childInputSchema',
    'compositionProblem',
    'compositionReferences',
    'createCatalogue',
    'createComposition',
    'createInProcessExecutor',
    'createPooledAcquisition',
    'freshAcquisition',
    'needsModel',
    'preloadAgents',
    'toChildInput',
    'toToolResult',
  ])
})
