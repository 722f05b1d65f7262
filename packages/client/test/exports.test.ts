import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/client exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual(['ApiError', 'createClient'])
})
