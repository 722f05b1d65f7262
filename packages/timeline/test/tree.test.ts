import { NO_USAGE, type EventDraft } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import {
  childrenOf,
  countChildren,
  emptyTimeline,
  reduceTimeline,
  toFoldedRows,
  toRows,
  type TimelineRow,
  type Timeline,
} from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

function label(row: TimelineRow): string {
  const indent = '  '.repeat(row.indent)
  if (row.kind === 'run') return `${indent}${row.run.instance} ${row.run.activity}`
  if (row.kind === 'queued') return `${indent}${row.call.childInstance} queued`
  return `${indent}${row.count} more, ${row.done} done`
}

function fold(drafts: readonly EventDraft[]): Timeline {
  return numbered(drafts).reduce(reduceTimeline, emptyTimeline())
}

function start(runId: string, parentRunId: string, callId: string): EventDraft {
  return sampleEvent('run-start', { runId, parentRunId, callId, instance: runId, depth: 1 })
}

describe('countChildren', () => {
  it('countChildren counts running, queued, ended and failed children, but not the root run', () => {
    const countAfter = (events: number) =>
      countChildren(twoCities().slice(0, events).reduce(reduceTimeline, emptyTimeline()))
    expect(countAfter(10)).toEqual({ running: 1, waiting: 0, queued: 1, done: 0, failed: 0, cancelled: 0 })
    expect(countAfter(Infinity)).toEqual({
      running: 0,
      waiting: 0,
      queued: 0,
      done: 2,
      failed: 1,
      cancelled: 0,
    })
  })
})

describe('cancelled children', () => {
  it('cancelled children are not counted as failed, and are not kept before others', () => {
    const drafts: EventDraft[] = [
      sampleEvent('run-start', { runId: 'root', instance: 'root', maxInstances: 2 }),
    ]
    const outcomes = ['completed', 'cancelled', 'failed', 'cancelled', 'cancelled', 'timeout'] as const
    for (const [index, outcome] of outcomes.entries()) {
      drafts.push(start(`c${index}`, 'root', `1.${index + 1}`))
      drafts.push(sampleEvent('run-end', { runId: `c${index}`, outcome }))
    }
    const timeline = fold(drafts)
    expect(countChildren(timeline)).toMatchObject({ done: 6, failed: 2, cancelled: 3 })
    const rows = toRows(timeline)
    expect(rows.map(label)).toEqual(['root starting', '  c2 failed', '  c5 timeout', '  4 more, 4 done'])
    expect(rows.at(-1)).toMatchObject({ done: 4, failed: 0, cancelled: 3 })
  })
})

describe('toRows', () => {
  it(`toRows keeps the rows of finished children ${verifies('A22', 'A68')}`, () => {
    const timeline = twoCities().reduce(reduceTimeline, emptyTimeline())
    expect(toRows(timeline).map(label)).toEqual([
      'Time completed',
      '  New-York[1] completed',
      '  London[2] failed',
    ])
  })

  it('toRows shows a child that waits for its slot', () => {
    const timeline = twoCities().slice(0, 10).reduce(reduceTimeline, emptyTimeline())
    expect(toRows(timeline).map(label)).toEqual([
      'Time calls agent__New-York and 1 more',
      '  New-York[1] writing',
      '  London[2] queued',
    ])
  })

  it('toRows orders children by their calls, not by start time, and nests them', () => {
    const call = { runId: 'root', source: 'agent' as const }
    const timeline = fold([
      sampleEvent('run-start', { runId: 'root', instance: 'root' }),
      sampleEvent('tool-call', { ...call, callId: '1.1' }),
      sampleEvent('tool-call', { ...call, callId: '1.2' }),
      start('second', 'root', '1.2'),
      start('grandchild', 'second', '1.1'),
      start('first', 'root', '1.1'),
    ])
    expect(toRows(timeline).map((row) => label(row).split(' starting')[0])).toEqual([
      'root calls tool and 1 more',
      '  first',
      '  second',
      '    grandchild',
    ])
    expect(childrenOf(timeline, 'root').map((run) => run.runId)).toEqual(['first', 'second'])
  })

  it(`toRows shows at most as many children as the run allows, active ones first ${verifies('B15')}`, () => {
    const drafts: EventDraft[] = [
      sampleEvent('run-start', { runId: 'root', instance: 'root', maxInstances: 3 }),
    ]
    for (let index = 1; index <= 6; index += 1) drafts.push(start(`c${index}`, 'root', `1.${index}`))
    for (const runId of ['c1', 'c2', 'c3', 'c4']) drafts.push(sampleEvent('run-end', { runId }))
    expect(toRows(fold(drafts)).map(label)).toEqual([
      'root starting',
      '  c1 completed',
      '  c5 starting',
      '  c6 starting',
      '  3 more, 3 done',
    ])
  })

  it('toRows shows failed children before successful ones, and counts those left out', () => {
    const drafts: EventDraft[] = [
      sampleEvent('run-start', { runId: 'root', instance: 'root', maxInstances: 2 }),
    ]
    for (let index = 1; index <= 6; index += 1) {
      drafts.push(start(`c${index}`, 'root', `1.${index}`))
      drafts.push(sampleEvent('run-end', { runId: `c${index}`, outcome: index > 3 ? 'failed' : 'completed' }))
    }
    const rows = toRows(fold(drafts))
    expect(rows.map(label)).toEqual(['root starting', '  c4 failed', '  c5 failed', '  4 more, 4 done'])
    expect(rows.at(-1)).toMatchObject({ failed: 1 })
  })

  it('toRows shows a run whose parent was not seen at the top level', () => {
    expect(toRows(fold([start('orphan', 'gone', '1.1')])).map(label)).toEqual(['orphan starting'])
  })
})

describe('toFoldedRows', () => {
  it('toFoldedRows folds five children of one agent, with the cost of everything below them, and keeps the active ones', () => {
    const call = { runId: 'root', source: 'agent' as const }
    const indices = [1, 2, 3, 4, 5]
    const timeline = fold([
      sampleEvent('run-start', { runId: 'root', agent: 'Lead', instance: 'Lead' }),
      ...indices.map((index) =>
        sampleEvent('tool-call', { ...call, callId: `1.${index}`, childInstance: `City[${index}]` }),
      ),
      ...indices.map((index) => start(`child-${index}`, 'root', `1.${index}`)),
      start('below', 'child-1', '1.1'),
      sampleEvent('usage', { runId: 'below', tokens: { ...NO_USAGE, micros: 7 } }),
      ...indices.slice(1).map((index) => sampleEvent('run-end', { runId: `child-${index}` })),
    ])
    const rows = toFoldedRows(timeline)
    expect(rows.map(({ kind, indent }) => [kind, indent])).toEqual([
      ['run', 0],
      ['group', 1],
      ['run', 2],
      ['run', 3],
    ])
    expect(rows[1]).toMatchObject({ queued: 0, micros: 7 })
    expect(toRows(timeline)).toHaveLength(7)
  })
})
