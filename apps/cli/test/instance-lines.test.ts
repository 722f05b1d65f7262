import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { accountsOf } from '@troupe/timeline'
import { expect, it } from 'vitest'
import { instanceLines } from '../src/reporter/run-history.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import { child, numbered, ROOT } from './events.ts'

const ACCOUNTS = accountsOf(
  numbered([
    sampleEvent('run-start', { ...ROOT, time: 1000 }),
    sampleEvent('run-start', { ...child(1), time: 1000 }),
    sampleEvent('run-start', { ...child(2), time: 3000 }),
    sampleEvent('run-end', { ...child(1), time: 3000, durationMs: 2000 }),
    sampleEvent('run-end', { ...child(2), time: 4000, durationMs: 1000, outcome: 'failed' }),
    sampleEvent('run-end', { ...ROOT, time: 5000, durationMs: 4000 }),
    sampleEvent('run-start', { ...child(3), time: 5000 }),
  ]),
)
const style = createStyle(false)

it(`the table of instances shows when each instance ran ${verifies('A89')}`, () => {
  expect(instanceLines(ACCOUNTS, { style })).toEqual([
    'instance   outcome    started   took  when',
    'Time       Completed     0 ms  4.0 s  ━━━━━━━━━━━━━━━━━━━━━━━━',
    '  City[1]  Completed     0 ms  2.0 s  ━━━━━━━━━━━━',
    '  City[2]  Failed       2.0 s  1.0 s              ━━━━━━',
    '  City[3]  not ended    4.0 s      –                         ━',
  ])
})

it('the table of instances omits columns that do not fit a narrow terminal', () => {
  expect(instanceLines(ACCOUNTS, { style, columns: 60 })[0]).toBe('instance   outcome    started   took')
  expect(instanceLines(ACCOUNTS, { style, columns: 30 })[0]).toBe('instance   outcome     took')
})
