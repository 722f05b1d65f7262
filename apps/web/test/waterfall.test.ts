import { failure, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { EMPTY_RUN_VIEW_STATE, reduceRunViewState } from '../src/reducers/run-view-state.ts'
import { ticksOf } from '../src/timeline/waterfall-row.tsx'
import { waterfallRows } from '../src/timeline/waterfall.ts'
import { harbourRun } from './harbour-run.ts'

describe('waterfall rows', () => {
  const picture = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun())

  it('the waterfall puts each run below its caller and each call below its run', () => {
    const rows = waterfallRows(picture, { collapsed: new Set(), now: 5000 })
    const names = rows.map((row) => [
      row.level,
      row.kind === 'run' ? row.run.instance : row.label,
      row.from,
      row.to,
    ])
    expect(names).toEqual([
      [1, 'Newsroom', 1000, 2000],
      [2, 'Reporter[1]', 1110, 1700],
      [3, 'publish', 1200, 1600],
    ])
  })

  it('the waterfall leaves out the rows below a collapsed run', () => {
    const rows = waterfallRows(picture, { collapsed: new Set(['root']), now: 5000 })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ hasRows: true, isOpen: false })
  })

  it('the waterfall extends open rows until now', () => {
    const live = reduceRunViewState(EMPTY_RUN_VIEW_STATE, harbourRun().slice(0, 12))
    const rows = waterfallRows(live, { collapsed: new Set(), now: 5000 })
    expect(rows.map(({ to }) => to)).toEqual([5000, 5000])
  })

  it('the waterfall shows the time until a decision as waiting', () => {
    const rows = waterfallRows(picture, { collapsed: new Set(), now: 5000 })
    expect(rows[2]?.segments).toEqual([
      { kind: 'wait', from: 1200, to: 1500 },
      { kind: 'tool', from: 1500, to: 1600 },
    ])
  })
})

describe('waterfall bars', () => {
  const RUN = { runId: 'root', agent: 'Lead', instance: 'Lead', depth: 0 }
  const tonesOf = (code: 'run_cancelled' | 'model_refused', outcome: 'cancelled' | 'failed') => {
    const drafts = [
      sampleEvent('run-start', { ...RUN, time: 1000 }),
      sampleEvent('turn-start', { ...RUN, time: 1000 }),
      sampleEvent('usage', { ...RUN, time: 2000, latencyMs: 1000, error: failure(code, 'No.') }),
      sampleEvent('run-end', { ...RUN, time: 2000, outcome, error: failure(code, 'No.') }),
    ]
    const events = drafts.map((draft, index): RunEvent => ({ ...draft, seq: index + 1 }))
    const picture = reduceRunViewState(EMPTY_RUN_VIEW_STATE, events)
    const [row] = waterfallRows(picture, { collapsed: new Set(), now: 5000 })
    return row?.segments.map(({ kind, tone }) => `${kind} ${tone}`)
  }

  it('the bars of a run that was stopped on request are cancelled, not failed', () => {
    expect(tonesOf('run_cancelled', 'cancelled')).toEqual(['run cancelled', 'model cancelled'])
  })

  it('the bars of a run whose model failed are failed', () => {
    expect(tonesOf('model_refused', 'failed')).toEqual(['run failed', 'model failed'])
  })
})

describe('time axis', () => {
  it('the axis has about six ticks at round times', () => {
    expect(ticksOf(1000)).toEqual([0, 200, 400, 600, 800, 1000])
    expect(ticksOf(186)).toEqual([0, 50, 100, 150])
    expect(ticksOf(60_000).length).toBeLessThan(9)
    expect(ticksOf(0)).toEqual([0])
  })

  it('a narrow axis has fewer ticks, so that each label has 44 px, or 60 px from one minute on', () => {
    expect(ticksOf(600, 168)).toEqual([0, 200, 400, 600])
    expect(ticksOf(600, 100)).toEqual([0, 500])
    expect(ticksOf(600, 20)).toEqual([0])
    for (const width of [60, 110, 168, 240, 400, 1000])
      for (const duration of [7, 600, 1300, 59_000, 61_000, 7_300_000]) {
        const [, second = Infinity] = ticksOf(duration, width)
        expect((width * second) / duration).toBeGreaterThanOrEqual(duration < 60_000 ? 44 : 60)
      }
  })
})
