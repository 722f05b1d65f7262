import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(entryPoint)).toEqual(['CARD_FORMATS'])
})
