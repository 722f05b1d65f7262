import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/store-postgres exports exactly the documented names', () => {
  expect(Object.keys(entryPoint)).toEqual(['isTemporaryFault', 'openPostgresStore'])
})
