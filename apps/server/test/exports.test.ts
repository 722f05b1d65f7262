import * as entryPoint from '../src/index.ts'
import { expect, it } from 'vitest'

it('exports these names and no others', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual(['HEADEND_NAMES', 'createServer', 'readServerConfig'])
})
