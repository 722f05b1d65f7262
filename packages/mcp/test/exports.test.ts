import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'createFileLoginStore',
    'createMcpPool',
    'filterTools',
    'logIn',
    'logOut',
  ])
})
