import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState } from '../src/reducers/run-view-state.ts'
import { createReplayReducer, lastEventText, momentAt, stepFrom } from '../src/runs/replay-view.tsx'
import { harbourRun } from './harbour-run.ts'

const EVENTS = harbourRun().filter(({ seq }) => seq !== undefined)

describe('replay position', () => {
  it('a replay position has every event up to its time', () => {
    expect(momentAt(EVENTS, 1000).count).toBe(2)
    expect(momentAt(EVENTS, 0).count).toBe(0)
    expect(momentAt(EVENTS, 1_000_000).count).toBe(EVENTS.length)
  })

  it('a replay steps through every event, including those of the same time, and stays within the first and the last', () => {
    const first = stepFrom(EVENTS, momentAt(EVENTS, 1000), -1)
    expect(first).toEqual({ count: 1, at: 1000 })
    expect(stepFrom(EVENTS, first, -1)).toEqual(first)
    const last = momentAt(EVENTS, 1_000_000)
    expect(stepFrom(EVENTS, last, 1).count).toBe(EVENTS.length)
    let moment = first
    for (const [index] of EVENTS.entries()) {
      expect(moment.count).toBe(index + 1)
      moment = stepFrom(EVENTS, moment, 1)
    }
  })

  it('a replay shows the same state at a position, whether it was reached forward or back', () => {
    const viewStateAt = createReplayReducer(EVENTS)
    for (const count of [3, 5, EVENTS.length, 4, 4, 0])
      expect(viewStateAt(count)).toEqual(reduceRunViewState(EMPTY_RUN_VIEW_STATE, EVENTS.slice(0, count)))
  })

  it('a replay position is named after its last event', () => {
    expect(lastEventText(EVENTS, { at: 0, count: 0 })).toBe('')
    expect(lastEventText(EVENTS, momentAt(EVENTS, 1100))).toBe('Newsroom: tool-call agent__Reporter')
  })
})
