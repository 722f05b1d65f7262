import { sampleEvent } from '@troupe/testkit/internal'
import { emptyTimeline, reduceTimeline } from '@troupe/timeline'
import { describe, expect, it } from 'vitest'
import { historyLines } from '../src/reporter/run-history.ts'
import { createStyle } from '../src/terminal/terminal.ts'

describe('the history of a run', () => {
  it('the history shows dropped messages and their summary at the turn where they were dropped', () => {
    const lines = historyLines(
      timelineOf([call(1), shortened(2, 'It read pages.'), call(2), shortened(3)]),
      createStyle(false),
    )
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual([
      'Agent',
      'tool->',
      'result->',
      'dropped->',
      'tool->',
      'result->',
      'dropped->',
    ])
    expect(lines).toContain('  dropped-> 12 messages and 3 results: It read pages.')
    expect(lines.at(-1)).toBe('  dropped-> 12 messages and 3 results')
  })
})

function timelineOf(parts: readonly (readonly ReturnType<typeof sampleEvent>[])[]) {
  const events = [sampleEvent('run-start', { runId: 'root' }), ...parts.flat()]
  return events
    .map((event, index) => ({ ...event, runId: 'root', seq: index + 1 }))
    .reduce(reduceTimeline, emptyTimeline())
}

function call(turn: number) {
  const callId = `${turn}.0`
  return [sampleEvent('tool-call', { turn, callId }), sampleEvent('tool-result', { callId })]
}

function shortened(turn: number, summary?: string) {
  const { summary: _, ...event } = sampleEvent('context-shortened', { turn, trimmedResults: 3 })
  return [{ ...event, ...(summary === undefined ? {} : { summary }) }]
}
