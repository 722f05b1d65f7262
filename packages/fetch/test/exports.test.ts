import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/fetch exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'checkAddress',
    'checkUrl',
    'createSafeFetch',
    'isPublicAddress',
  ])
})
