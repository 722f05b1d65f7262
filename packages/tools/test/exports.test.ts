import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports exactly what it promises', () => {
  expect(Object.keys(door).toSorted()).toEqual([
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
