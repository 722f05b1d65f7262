import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState } from '../src/reducers/run-view-state.ts'
import { forkPoints } from '../src/runs/fork-dialog.tsx'
import { harbourRun } from './harbour-run.ts'

describe('the turns that a run can be forked at', () => {
  it('are those of the root, and of each child by the call that opened it', () => {
    expect(forkPoints(reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun()))).toEqual([
      { at: '1', label: 'Newsroom, turn 1', agent: 'Newsroom' },
      { at: '2', label: 'Newsroom, turn 2', agent: 'Newsroom' },
      { at: '1.1/1', label: 'Reporter[1], turn 1', agent: 'Reporter' },
    ])
  })
})
