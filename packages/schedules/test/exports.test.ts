import { expect, it } from 'vitest'
import * as entryPoint from '../src/index.ts'

it('@troupe/schedules exports exactly these names', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual([
    'CLAIM_MS',
    'MISSED_AFTER_MS',
    'createScheduler',
    'derivedRunId',
    'dueTimes',
    'findScheduleProblem',
    'firingRunId',
    'listSchedules',
    'nextDueTime',
    'scheduleDefinition',
    'toSchedule',
  ])
})
