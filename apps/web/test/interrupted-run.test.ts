import { describe, expect, it } from 'vitest'
import {
  EMPTY_RUN_VIEW_STATE,
  reduceRunViewState,
  rootOf,
  runState,
  withInterruption,
} from '../src/reducers/run-view-state.ts'
import { timelineTree } from '../src/waterfall/timeline-tree.ts'
import { harbourRun } from './harbour-run.ts'

const EVENTS = harbourRun()

/** Returns the view state after so many events. */
const pictureOf = (count: number) => reduceRunViewState(EMPTY_RUN_VIEW_STATE, EVENTS.slice(0, count))

describe('view of an interrupted run', () => {
  const cut = pictureOf(12)
  const interrupted = withInterruption(cut, { state: 'interrupted', lastSeq: cut.timeline.seq })
  const rowsOf = (picture: typeof cut) => [...timelineTree(picture).nodes.values()].map(({ node }) => node)

  it('an interrupted run has no running row, and every open row ends with the last event', () => {
    const rows = rowsOf(interrupted).map(({ key, state, to }) => [key, state, to])
    expect(rows).toEqual([
      ['root', 'interrupted', 1200],
      ['child', 'interrupted', 1200],
    ])
    expect(rowsOf(cut).map(({ state }) => state)).toEqual(['running', 'running'])
  })

  it('an interrupted run keeps a run and a call waiting that can still be answered', () => {
    const asked = pictureOf(14)
    const rows = rowsOf(withInterruption(asked, { state: 'interrupted', lastSeq: asked.timeline.seq }))
    expect(rows.map(({ key, state }) => [key, state])).toEqual([
      ['root', 'interrupted'],
      ['child', 'waiting'],
      ['child 1.1', 'waiting'],
    ])
  })

  it('an interrupted run is running again once an event arrives that the server did not have before', () => {
    const known = { state: 'interrupted', lastSeq: cut.timeline.seq } as const
    const resumed = withInterruption(pictureOf(13), known)
    expect(resumed.interruptedAt).toBeUndefined()
    expect(rootOf(resumed)).toSatisfy((root) => runState(root, resumed) === 'running')
  })

  it('the view is that of a running run in every other state, and before the server has responded', () => {
    expect(withInterruption(cut, { state: 'running', lastSeq: cut.timeline.seq })).toBe(cut)
    expect(withInterruption(cut, undefined)).toBe(cut)
  })
})
