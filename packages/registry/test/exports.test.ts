import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/registry exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'PERMISSIVE_INPUT',
    'acceptedInputSchema',
    'agentTool',
    'childInputSchema',
    'compositionProblem',
    'compositionReferences',
    'createCatalogue',
    'createComposition',
    'createInProcessExecutor',
    'createPooledSessionProvider',
    'freshSessionProvider',
    'handoffTool',
    'isComposed',
    'needsModel',
    'preloadAgents',
    'toChildInput',
    'toFilledInput',
    'toToolResult',
  ])
})
