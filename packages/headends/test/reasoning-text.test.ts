import type { EventDraft } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createReasoningText } from '../src/client-runs/reasoning-text.ts'

const ROOT = { runId: 'root', rootRunId: 'root' }
const CHILD = { runId: 'child', rootRunId: 'root', agent: 'Scout' }
const turn = (): EventDraft => sampleEvent('turn-start', ROOT)
const thinks = (text: string, of: object = ROOT): EventDraft =>
  sampleEvent('reasoning-delta', { ...of, text })
const starts = (input: string): EventDraft => sampleEvent('run-start', { ...CHILD, input })
const ends = (outcome: 'completed' | 'failed' = 'completed'): EventDraft =>
  sampleEvent('run-end', { ...CHILD, outcome })

function textOf(events: readonly EventDraft[], withChildren = true): string {
  const reasoning = createReasoningText({ withChildren })
  return events.map((event) => reasoning.read(event)).join('')
}

it('the reasoning of each turn is a paragraph', () => {
  expect(textOf([turn(), thinks('a'), thinks('b'), thinks(''), turn(), turn(), thinks('c')])).toBe('ab\n\nc')
})

it('the reasoning contains what children do, one line each, but not what they think or write', () => {
  const events = [
    turn(),
    thinks('a'),
    starts('look\n  around'),
    thinks('secret', CHILD),
    sampleEvent('text-delta', { ...CHILD, text: 'secret' }),
    ends(),
    starts('again'),
    ends('failed'),
    turn(),
    thinks('b'),
  ]
  expect(textOf(events)).toBe(
    ['a', 'Calls Scout: look around\nScout: completed.\nCalls Scout: again\nScout: failed.', 'b'].join(
      '\n\n',
    ),
  )
  expect(textOf(events, false)).toBe('a\n\nb')
})

it('a long input of a child is shortened in the reasoning', () => {
  expect(textOf([starts('x'.repeat(1000))])).toBe(`Calls Scout: ${'x'.repeat(200)}…`)
})
