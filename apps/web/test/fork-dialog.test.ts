import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState } from '../src/reducers/run-view-state.ts'
import { forkPoints } from '../src/runs/fork-dialog.tsx'
import { harbourRun } from './harbour-run.ts'

describe('fork points', () => {
  it('a run can be forked at the turns of the root run and of each child run', () => {
    expect(forkPoints(reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun()))).toEqual([
      { at: '1', label: 'Newsroom, turn 1', agent: 'Newsroom' },
      { at: '2', label: 'Newsroom, turn 2', agent: 'Newsroom' },
      { at: '1.1/1', label: 'Reporter[1], turn 1', agent: 'Reporter' },
    ])
  })
})
