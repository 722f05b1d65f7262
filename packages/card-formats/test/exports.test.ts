import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/card-formats exports exactly the documented names', () => {
  expect(Object.keys(entryPoint)).toEqual(['findTroupeKey', 'CARD_FORMATS'])
})
