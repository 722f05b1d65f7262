import { expect, it } from 'vitest'
import * as door from '../src/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(door).toSorted()).toEqual([
    'changeText',
    'childPlace',
    'createPlaces',
    'createRecorder',
    'createReplay',
    'createStepKeys',
    'differenceText',
    'firstChange',
    'firstDifference',
    'parsePlace',
    'readCassette',
    'tapedAgent',
    'toCassette',
    'toEntry',
    'writeCassette',
  ])
})
