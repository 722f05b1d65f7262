import type { RunEvent } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import {
  correlationId,
  emptyTimeline,
  eventCorrelation,
  historyOf,
  reduceTimeline,
  type HistoryRun,
} from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

function fold(events: readonly RunEvent[]): readonly HistoryRun[] {
  return historyOf(events.reduce(reduceTimeline, emptyTimeline()))
}

/** Returns the tree of labels: each call, and in it the calls of its runs. */
function labels(runs: readonly HistoryRun[]): readonly unknown[] {
  return runs.map(({ run, calls }) => [
    run.instance,
    ...calls.map((call) => [call.label, ...labels(call.runs)]),
  ])
}

describe('historyOf', () => {
  it(`historyOf keeps each call together with its result ${verifies('A79', 'A80')}`, () => {
    const [time] = fold(twoCities())
    expect(
      time?.calls.map(({ label, call }) => [label, call.args, call.outcome, call.content?.[0]?.type]),
    ).toEqual([
      ['agent__New-York[1]', { text: 'now?' }, 'completed', 'text'],
      ['agent__London[2]', { text: 'now?' }, 'failed', 'text'],
    ])
  })

  it(`historyOf groups rows of parallel, nested children by call and instance, in any order of events ${verifies('A92', 'A90')}`, () => {
    const events = twoLevels()
    const tree = [
      [
        'Top',
        ['agent__Mid[1]', ['Mid[1]', ['agent__Leaf[1]', ['Leaf[1]', ['look']]]]],
        ['agent__Mid[2]', ['Mid[2]', ['agent__Leaf[1]', ['Leaf[1]', ['look']]]]],
      ],
    ]
    expect(labels(fold(events))).toEqual(tree)
    const top = fold(events)[0]
    const [first, second] = top?.calls ?? []
    expect(first?.call.correlationId).toBe(correlationId('top', '1.1'))
    expect(second?.runs[0]?.calls[0]?.call.correlationId).toBe(correlationId('mid-2', '1.1'))
    const leafEnd = events.find((event) => event.type === 'run-end' && event.runId === 'leaf-2')
    expect(leafEnd === undefined ? undefined : eventCorrelation(leafEnd)).toBe(correlationId('mid-2', '1.1'))
  })

  it('historyOf has the runs of every attempt if a hook repeated a call', () => {
    const child = { agent: 'Mid', instance: 'Mid[1]', depth: 1, parentRunId: 'top', callId: '1.1' }
    const [top] = fold(
      numbered([
        sampleEvent('run-start', { runId: 'top', instance: 'Top' }),
        sampleEvent('tool-call', { runId: 'top', callId: '1.1', source: 'agent', childInstance: 'Mid[1]' }),
        sampleEvent('run-start', { ...child, runId: 'one' }),
        sampleEvent('run-end', { ...child, runId: 'one', outcome: 'failed' }),
        sampleEvent('run-start', { ...child, runId: 'two' }),
        sampleEvent('run-end', { ...child, runId: 'two' }),
      ]),
    )
    expect(top?.calls[0]?.runs.map(({ run }) => run.outcome)).toEqual(['failed', 'completed'])
  })
})

/** Returns the interleaved events of two parallel children, each with a child of its own. */
function twoLevels(): readonly RunEvent[] {
  const sides = [1, 2].map((index) => {
    const mid = { runId: `mid-${index}`, agent: 'Mid', instance: `Mid[${index}]`, depth: 1 }
    const leaf = { runId: `leaf-${index}`, agent: 'Leaf', instance: 'Leaf[1]', depth: 2 }
    const asked = { parentRunId: mid.runId, callId: '1.1' }
    return [
      sampleEvent('run-start', { ...mid, parentRunId: 'top', callId: `1.${index}` }),
      sampleEvent('tool-call', { ...mid, callId: '1.1', source: 'agent', childInstance: 'Leaf[1]' }),
      sampleEvent('run-start', { ...leaf, ...asked }),
      sampleEvent('tool-call', { ...leaf, callId: '1.1', toolName: 'look' }),
      sampleEvent('tool-result', { ...leaf, callId: '1.1', toolName: 'look' }),
      sampleEvent('run-end', { ...leaf, ...asked }),
    ]
  })
  const calls = [1, 2].map((index) =>
    sampleEvent('tool-call', {
      runId: 'top',
      callId: `1.${index}`,
      source: 'agent',
      childInstance: `Mid[${index}]`,
    }),
  )
  const [left = [], right = []] = sides
  const woven = left.flatMap((event, index) => [event, right[index] ?? event])
  return numbered([sampleEvent('run-start', { runId: 'top', instance: 'Top' }), ...calls, ...woven])
}
