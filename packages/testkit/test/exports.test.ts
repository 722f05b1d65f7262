import { expect, it } from 'vitest'
import * as contracts from '../src/contracts/index.ts'
import * as door from '../src/index.ts'

it('exports these names', () => {
  expect(Object.keys(door)).toEqual(
    expect.arrayContaining([
      'deferred',
      'fakeClock',
      'leakCheck',
      'recordEvents',
      'sampleEvent',
      'scriptedModel',
      'settle',
      'tempProject',
      'verifies',
    ]),
  )
  expect(Object.keys(contracts)).toEqual(['runStoreContract'])
})
