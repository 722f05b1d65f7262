import type { EventDraft, RunEvent } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { emptyTimeline, findRun, reduceTimeline, type Timeline } from '../src/index.ts'
import { numbered, twoCities } from './two-cities.ts'

function fold(events: readonly RunEvent[], from: Timeline = emptyTimeline()): Timeline {
  return events.reduce(reduceTimeline, from)
}

describe('reduceTimeline', () => {
  it('reduceTimeline holds every run with its outcome, in order of start', () => {
    const timeline = fold(twoCities())
    expect(timeline.runs.map((run) => [run.instance, run.state, run.outcome, run.text])).toEqual([
      ['Time', 'done', 'completed', 'half past ten'],
      ['New-York[1]', 'done', 'completed', '10:30'],
      ['London[2]', 'done', 'failed', 'done'],
    ])
    expect(timeline.rootRunId).toBe('root')
  })

  it(`reduceTimeline groups a call with the run it opened, by correlation id and instance ${verifies('A92')}`, () => {
    const root = findRun(fold(twoCities()), 'root')
    expect(root?.calls).toMatchObject([
      { correlationId: 'root:1.1', childInstance: 'New-York[1]', childRunId: 'child-1', state: 'done' },
      { correlationId: 'root:1.2', childInstance: 'London[2]', childRunId: 'child-2', outcome: 'failed' },
    ])
  })

  it('reduceTimeline follows a call from queued to running to done', () => {
    const events = twoCities()
    const states = events.map((_, index) => {
      const call = findRun(fold(events.slice(0, index + 1)), 'root')?.calls[1]
      return call === undefined ? '' : `${call.state} ${call.position ?? ''}`.trim()
    })
    expect([...new Set(states)]).toEqual(['', 'queued', 'queued 1', 'running', 'done'])
  })

  it('reduceTimeline closes open calls when their run ends, so that no call of a killed run appears active', () => {
    const run = { runId: 'root', rootRunId: 'root' }
    const events = numbered([
      sampleEvent('run-start', run),
      sampleEvent('tool-call', { ...run, callId: '1.1' }),
      sampleEvent('tool-start', { ...run, callId: '1.1' }),
      sampleEvent('tool-call', { ...run, callId: '1.2' }),
      sampleEvent('tool-queued', { ...run, callId: '1.2', position: 1 }),
      sampleEvent('run-end', { ...run, outcome: 'cancelled' }),
    ])
    const { calls } = findRun(fold(events), 'root') ?? {}
    expect(calls).toMatchObject([
      { callId: '1.1', state: 'done', outcome: 'cancelled' },
      { callId: '1.2', state: 'done', outcome: 'cancelled' },
    ])
    expect(calls?.[1]).not.toHaveProperty('position')
  })

  it('reduceTimeline joins the text of a turn, and uses the whole block if deltas were missed', () => {
    const run = { runId: 'root', rootRunId: 'root' }
    const events = numbered([
      sampleEvent('run-start', run),
      sampleEvent('turn-start', { ...run, turn: 1 }),
      sampleEvent('text-start', run),
      sampleEvent('text-delta', { ...run, text: 'I will' }),
      sampleEvent('text-end', { ...run, text: 'I will look. ' }),
      sampleEvent('text-start', run),
      sampleEvent('text-delta', { ...run, text: 'So:' }),
    ])
    expect(findRun(fold(events), 'root')?.text).toBe('I will look. So:')
    const next = numbered([...events, sampleEvent('turn-start', { ...run, turn: 2 })])
    expect(findRun(fold(next), 'root')).toMatchObject({ text: '', turn: 2 })
  })

  it('reduceTimeline shows a run as waiting while an approval is open', () => {
    const run = { runId: 'root', rootRunId: 'root' }
    const events = numbered([
      sampleEvent('run-start', run),
      sampleEvent('approval-request', { ...run, approvalId: 'a', toolName: 'shell.execute' }),
      sampleEvent('approval-request', { ...run, approvalId: 'b' }),
      sampleEvent('approval-result', { ...run, approvalId: 'a' }),
      sampleEvent('approval-result', { ...run, approvalId: 'b' }),
    ])
    const states = events.map((_, index) => findRun(fold(events.slice(0, index + 1)), 'root')?.state)
    expect(states).toEqual(['running', 'waiting', 'waiting', 'waiting', 'running'])
    expect(findRun(fold(events.slice(0, 2)), 'root')?.activity).toBe('waits for approval of shell.execute')
  })

  it('reduceTimeline describes the activity of each run, without control characters of a tool', () => {
    const run = { runId: 'root', rootRunId: 'root', callId: '1.1' }
    const events = numbered([
      sampleEvent('run-start', run),
      sampleEvent('tool-call', { ...run, toolName: 'evil\u001B[2Jname' }),
      sampleEvent('tool-progress', { ...run, toolName: 'evil', text: 'half\n\u202Edone' }),
      sampleEvent('run-end', { ...run, outcome: 'partial' }),
    ])
    const activities = events.map((_, index) => findRun(fold(events.slice(0, index + 1)), 'root')?.activity)
    expect(activities).toEqual(['starting', 'calls evilname', 'evil: half done', 'partial'])
  })

  it('reduceTimeline keeps warnings and the last log lines', () => {
    const run = { runId: 'root', rootRunId: 'root' }
    const logs = Array.from({ length: 250 }, (_, index) => sampleEvent('log', { ...run, text: `${index}` }))
    const view = findRun(
      fold(numbered([sampleEvent('run-start', run), sampleEvent('warning', run), ...logs])),
      'root',
    )
    expect(view?.warnings).toEqual([{ code: 'tool_name_conflict', message: 'two tools of one name' }])
    expect(view?.logs).toHaveLength(200)
    expect(view?.logs.at(-1)).toBe('249')
  })

  it('reduceTimeline ignores other root runs and runs whose start was not seen', () => {
    const timeline = fold(twoCities())
    const strange = sampleEvent('usage', { runId: 'unknown', rootRunId: 'root' })
    const other = sampleEvent('run-start', { runId: 'other', rootRunId: 'other' })
    expect(reduceTimeline(timeline, { ...strange, seq: 99 }).runs).toBe(timeline.runs)
    expect(reduceTimeline(timeline, { ...other, seq: 100 })).toBe(timeline)
  })

  it('reduceTimeline shares unchanged parts', () => {
    const events = twoCities()
    const before = fold(events.slice(0, 10))
    const after = fold(events.slice(10, 12), before)
    expect(findRun(after, 'root')).toBe(findRun(before, 'root'))
    expect(findRun(after, 'child-1')?.text).toBe('10:30')
    expect(findRun(before, 'child-1')?.text).toBe('')
  })
})

it('reduceTimeline moves the queue up when a call leaves it', () => {
  const queued = (index: number): readonly EventDraft[] => [
    sampleEvent('tool-call', { runId: 'root', callId: `1.${index}`, source: 'agent' }),
    sampleEvent('tool-queued', { runId: 'root', callId: `1.${index}`, position: index }),
  ]
  const timeline = numbered([
    sampleEvent('run-start', { runId: 'root' }),
    ...[1, 2, 3, 4].flatMap(queued),
    sampleEvent('tool-start', { runId: 'root', callId: '1.1' }),
    sampleEvent('tool-result', { runId: 'root', callId: '1.3', outcome: 'cancelled' }),
  ]).reduce(reduceTimeline, emptyTimeline())
  expect(findRun(timeline, 'root')?.calls.map((call) => call.position)).toEqual([undefined, 1, undefined, 2])
})
