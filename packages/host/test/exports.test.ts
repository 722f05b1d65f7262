import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/host exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'configJsonSchema',
    'configuredServer',
    'configuredStore',
    'createHost',
    'expiredRuns',
    'storedHistory',
  ])
})
