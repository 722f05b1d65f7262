import type { RunSummary } from '@troupe/client'
import { expect, it } from 'vitest'
import { toRunRows } from '../src/runs/run-rows.ts'

function runAt(time: string): RunSummary {
  const startedAt = new Date(time).getTime()
  return { runId: time, startedAt, agent: 'A', state: 'completed', sessionId: 's', input: '', detail: 'full' }
}

it('the runs of each day are below a heading that names the day, with the year if it is another one', () => {
  const now = new Date('2026-11-28T00:30:00').getTime()
  const times = ['2026-11-28T00:10:00', '2026-11-27T23:59:00', '2026-11-27T00:00:00', '2026-11-20T12:00:00']
  const rows = toRunRows([...times, '2025-12-31T12:00:00'].map(runAt), now)
  expect(rows.map((row) => (row.kind === 'day' ? row.day : row.run.runId.slice(5, 16)))).toEqual([
    'Today',
    '11-28T00:10',
    'Yesterday',
    '11-27T23:59',
    '11-27T00:00',
    'Friday, November 20',
    '11-20T12:00',
    'Wednesday, December 31, 2025',
    '12-31T12:00',
  ])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
})
