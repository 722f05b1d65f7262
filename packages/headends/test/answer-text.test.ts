import { type EventDraft, type RunReport, NO_PROBLEMS, NO_USAGE, toUsageReport } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createAnswerText } from '../src/client-runs/answer-text.ts'

const ROOT = { runId: 'root', rootRunId: 'root' }
const turn = (): EventDraft => sampleEvent('turn-start', ROOT)
const says = (text: string): EventDraft => sampleEvent('text-delta', { ...ROOT, text })
const retry = (): EventDraft => sampleEvent('model-retry', ROOT)

function report(text: string): RunReport {
  return {
    runId: 'root',
    agent: 'A',
    outcome: 'completed',
    output: { format: 'text', text },
    usage: { ...toUsageReport(NO_USAGE, []), byAgent: {} },
    sessionId: 's',
    ...NO_PROBLEMS,
    durationMs: 1,
    activeMs: 1,
  }
}

function told(events: readonly EventDraft[], end: string, isWhole = false): readonly string[] {
  const answer = createAnswerText({ isWhole })
  return [...events.map((event) => answer.read(event)), answer.end(report(end))].filter((text) => text !== '')
}

describe('streamed text of an answer', () => {
  it('the streamed text is what the agent writes, piece by piece', () => {
    expect(told([turn(), says('a'), says('b')], 'ab')).toEqual(['a', 'b'])
  })

  it('the streamed text contains neither texts of child runs nor reasoning', () => {
    const child = sampleEvent('text-delta', { runId: 'child', rootRunId: 'root', text: 'x' })
    expect(told([turn(), child, sampleEvent('reasoning-delta', ROOT), says('a')], 'a')).toEqual(['a'])
  })

  it('the streamed text has a gap between turns with text', () => {
    expect(told([turn(), says('Let me see.'), turn(), turn(), says('It is 3.')], 'It is 3.')).toEqual([
      'Let me see.',
      '\n\nIt is 3.',
    ])
  })

  it('the text comes at the end if it was not written by the model of the agent', () => {
    expect(told([], 'made')).toEqual(['made'])
    expect(told([turn(), says('draft')], 'made')).toEqual(['draft', '\n\nmade'])
    expect(told([turn(), says('begi')], 'beginning')).toEqual(['begi', 'nning'])
  })

  it('the streamed text is not repeated when a model is called again', () => {
    expect(
      told([turn(), says('one '), says('two '), retry(), says('one '), says('two three')], 'one two three'),
    ).toEqual(['one ', 'two ', 'three'])
  })

  it('the streamed text restarts if a model that is called again writes something else', () => {
    expect(told([turn(), says('one '), retry(), says('eins '), says('zwei')], 'eins zwei')).toEqual([
      'one ',
      '\n\neins ',
      'zwei',
    ])
  })

  it('the text comes in one piece if it is validated as a whole', () => {
    expect(told([turn(), says('{"a"'), says(':1}')], '{"a":1}', true)).toEqual(['{"a":1}'])
  })
})
