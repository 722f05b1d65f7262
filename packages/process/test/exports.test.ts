import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/process exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'INHERITED_VARIABLES',
    'PROCESS_GROUPS',
    'childEnvironment',
    'createContainmentProbe',
    'createGroupLedger',
    'endProcessGroup',
    'exitStatus',
    'processGroup',
    'sleep',
    'spawnContained',
  ])
})
