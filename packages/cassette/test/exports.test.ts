import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('exports these names and no others', () => {
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
