import type { RunSummary } from '@troupe/headends'
import { describe, expect, it } from 'vitest'
import { filterRuns, NO_FILTER } from '../src/runs/filter-runs.ts'

function run(runId: string, change: Partial<RunSummary> = {}): RunSummary {
  const base = {
    agent: 'Lead',
    state: 'completed',
    sessionId: 's',
    startedAt: 0,
    input: 'hello',
    detail: 'full',
  } as const
  return { runId, ...base, ...change }
}

describe('the filter of runs', () => {
  const runs = [
    run('run_1'),
    run('run_2', { agent: 'Clerk', input: 'Count the Ships', state: 'failed' }),
    run('run_3', { state: 'waiting' }),
  ]
  const found = (filter: Partial<typeof NO_FILTER>): readonly string[] =>
    filterRuns(runs, { ...NO_FILTER, ...filter }).map(({ runId }) => runId)

  it('looks for words in whatever letters, and for ids', () => {
    expect(found({ text: ' ships ' })).toEqual(['run_2'])
    expect(found({ text: 'run_3' })).toEqual(['run_3'])
    expect(found({ text: '[' })).toEqual([])
  })

  it('looks for agents and states', () => {
    expect(found({})).toHaveLength(3)
    expect(found({ agent: 'Clerk' })).toEqual(['run_2'])
    expect(found({ state: 'open' })).toEqual(['run_3'])
    expect(found({ state: 'failed' })).toEqual(['run_2'])
    expect(found({ state: 'answered' })).toEqual(['run_1'])
  })
})
