import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('the entry point exports these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'compareTools',
    'createFileLoginStore',
    'createMcpPool',
    'filterTools',
    'listMcpTools',
    'lockTools',
    'logIn',
    'logOut',
    'parseToolLock',
    'toolLockText',
    'withToolLock',
  ])
})
