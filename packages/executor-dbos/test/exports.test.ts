import { expect, it } from 'vitest'
import * as executor from '../src/index.ts'

it('the package exports exactly its documented functions', () => {
  expect(Object.keys(executor)).toEqual([
    'createDbosDispatcher',
    'isWorkerRun',
    'readWorkerOverview',
    'startWorker',
  ])
})
