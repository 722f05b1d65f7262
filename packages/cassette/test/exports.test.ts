import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/cassette exports exactly the documented names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'changeText',
    'childRunPath',
    'createRecorder',
    'createReplay',
    'createRunPaths',
    'createStepKeys',
    'differenceText',
    'findRecordedAgent',
    'firstChange',
    'firstDifference',
    'parseRunPath',
    'readCassette',
    'toCassette',
    'toEntry',
    'writeCassette',
  ])
})
