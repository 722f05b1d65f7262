import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/tools exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'createFunctionWorkers',
    'createLinearPatterns',
    'createValidator',
    'loadFunction',
    'loadFunctionTools',
    'loadGuards',
    'loadLoopHooks',
    'loadToolHooks',
    'needProblems',
    'neededNames',
    'parseFunctionSpec',
    'schemaProblem',
  ])
})
