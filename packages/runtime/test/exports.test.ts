import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/runtime exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'RUNTIME_TOOL_NAMES',
    'SEARCH_PROVIDER_NAMES',
    'createRuntime',
    'loadSkills',
  ])
})
