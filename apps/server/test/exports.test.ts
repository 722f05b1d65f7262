import * as entryPoint from '../src/index.ts'
import { expect, it } from 'vitest'

it('@troupe/server exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'HEADEND_NAMES',
    'createPushFile',
    'createServer',
    'createStoredLink',
    'readServerConfig',
  ])
})
