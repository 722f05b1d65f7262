import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'compareTools',
    'createFileLoginStore',
    'createMcpPool',
    'filterTools',
    'lockTools',
    'logIn',
    'logOut',
    'parseToolLock',
    'toolLockText',
    'withToolLock',
  ])
})
