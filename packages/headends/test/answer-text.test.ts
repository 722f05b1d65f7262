import { type EventDraft, type RunReport, NO_PROBLEMS, NO_USAGE, toUsageReport } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit'
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

describe('the text of an answer while it is written', () => {
  it('is what the agent says, piece by piece', () => {
    expect(told([turn(), says('a'), says('b')], 'ab')).toEqual(['a', 'b'])
  })

  it('is nothing of its children and its thoughts', () => {
    const child = sampleEvent('text-delta', { runId: 'child', rootRunId: 'root', text: 'x' })
    expect(told([turn(), child, sampleEvent('reasoning-delta', ROOT), says('a')], 'a')).toEqual(['a'])
  })

  it('has a gap between turns that say something', () => {
    expect(told([turn(), says('Let me see.'), turn(), turn(), says('It is 3.')], 'It is 3.')).toEqual([
      'Let me see.',
      '\n\nIt is 3.',
    ])
  })

  it('comes at the end where something else than its model has made it', () => {
    expect(told([], 'made')).toEqual(['made'])
    expect(told([turn(), says('draft')], 'made')).toEqual(['draft', '\n\nmade'])
    expect(told([turn(), says('begi')], 'beginning')).toEqual(['begi', 'nning'])
  })

  it('is not told twice by a model that is asked again', () => {
    expect(
      told([turn(), says('one '), says('two '), retry(), says('one '), says('two three')], 'one two three'),
    ).toEqual(['one ', 'two ', 'three'])
  })

  it('begins anew where a model that is asked again says something else', () => {
    expect(told([turn(), says('one '), retry(), says('eins '), says('zwei')], 'eins zwei')).toEqual([
      'one ',
      '\n\neins ',
      'zwei',
    ])
  })

  it('comes in one piece where it is checked as a whole', () => {
    expect(told([turn(), says('{"a"'), says(':1}')], '{"a":1}', true)).toEqual(['{"a":1}'])
  })
})
