import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('exports exactly what it promises', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'createFunctionWorkers',
    'createLinearPatterns',
    'createValidator',
    'loadFunction',
    'loadFunctionTools',
    'loadLoopHooks',
    'loadToolHooks',
    'needProblems',
    'neededNames',
    'parseFunctionSpec',
    'schemaProblem',
  ])
})
