import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('the package exports these names and no others', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'checkSlack',
    'createSlackApp',
    'openSlackState',
    'readSlackConfig',
  ])
})
