import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { accountsOf } from '@troupe/timeline'
import { expect, it } from 'vitest'
import { summaryLines } from '../src/reporter/summary.ts'
import { createStyle } from '../src/terminal/terminal.ts'
import { child, numbered, ROOT, startChildren, usageOf } from './events.ts'

const style = createStyle(false)

it(`the summary has one row per agent, whatever the number of its instances, and a total ${verifies('A12', 'A24')}`, () => {
  const accounts = accountsOf(
    numbered([
      ...startChildren(2),
      usageOf(ROOT, { input: 100, output: 10, micros: 1500 }),
      usageOf(child(1), { input: 1200, output: 20, micros: 200 }),
      usageOf(child(2), { input: 300, output: 5, micros: 100 }),
      sampleEvent('tool-result', { ...child(1), callId: '1.1' }),
      sampleEvent('run-end', { ...child(1), durationMs: 1000 }),
      sampleEvent('run-end', { ...child(2), durationMs: 500 }),
      sampleEvent('run-end', { ...ROOT, durationMs: 2000 }),
    ]),
  )
  expect(summaryLines(accounts, { durationMs: 2000, style })).toEqual([
    'agent  runs  model calls  tool calls  tokens in  out     cost   time',
    'Time      1            1           0        100   10  $0.0015  2.0 s',
    'City      2            2           1       1.5k   25  $0.0003  1.5 s',
    'total     3            3           1       1.6k   35  $0.0018  2.0 s',
  ])
})

it('the summary marks an unknown price, and shows no cost without model calls', () => {
  const accounts = accountsOf(
    numbered([...startChildren(1), usageOf(ROOT, { input: 1, output: 1, unpriced: 1 })]),
  )
  const costs = summaryLines(accounts, { durationMs: 1, style }).map((line) => line.split(/\s{2,}/u)[6])
  expect(costs).toEqual(['cost', 'unpriced', '–', 'unpriced'])
})
