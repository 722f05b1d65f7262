import { describe, expect, it } from 'vitest'
import { runTable } from '../src/reporter/run-table.ts'
import type { StoredRunSummary } from '../src/run-store/run-summary.ts'
import { createStyle } from '../src/terminal/terminal.ts'

const style = createStyle(false)

function run(runId: string, more: Partial<StoredRunSummary> = {}): StoredRunSummary {
  const base = { agent: 'time-orchestrator', sessionId: runId, startedAt: 0, detail: 'full' } as const
  return { ...base, runId, state: 'completed', durationMs: 950, cost: 0, input: 'What time is it?', ...more }
}

const RUNS = [run('run_d713c0d8e822c70a24148a0bfccd33fc'), run('run_e101e097961a1b33a74ad090d2c62a6b')]

describe('the table of runs', () => {
  it('the table of runs has full ids, times and messages outside a terminal', () => {
    expect(runTable(RUNS, { style })).toEqual([
      'run                                   agent              outcome    started                took   cost  message',
      'run_d713c0d8e822c70a24148a0bfccd33fc  time-orchestrator  Completed  1970-01-01 00:00:00  950 ms  $0.00  What time is it?',
      'run_e101e097961a1b33a74ad090d2c62a6b  time-orchestrator  Completed  1970-01-01 00:00:00  950 ms  $0.00  What time is it?',
    ])
  })

  it.each([
    [120, 'run_d713c0d8  time-orchestrator  Completed  1970-01-01 00:00  950 ms  $0.00  What time is it?'],
    [80, 'run_d713c0d8  time-orchestrator  Completed  1970-01-01 00:00  What time is it?'],
    [60, 'run_d713c0d8  time-orchestrator  Completed  What time is i…'],
    [50, 'run_d713c0d8  time-orchestrator  Completed'],
  ])('the table of runs fits %i columns, and omits the cost before the message', (columns, line) => {
    const lines = runTable(RUNS, { style, columns })
    expect(lines[1]).toBe(line)
    expect(lines.filter(({ length }) => length >= columns)).toEqual([])
  })

  it('the table of runs cuts a long message to the remaining width', () => {
    const [, line = ''] = runTable([run('run_d713c0d8e822', { input: 'word '.repeat(40) })], {
      style,
      columns: 80,
    })
    expect(line).toMatch(/word.*…$/u)
    expect(line.length).toBeLessThan(80)
  })

  it('the table of runs shortens ids only while they stay unique', () => {
    const runs = [run('run_d713c0d8e822'), run('run_d713c0d8e9aa')]
    const ids = runTable(runs, { style, columns: 120 }).map((line) => line.split(' ', 1)[0])
    expect(ids).toEqual(['run', 'run_d713c0d8e8', 'run_d713c0d8e9'])
  })
})
