import { eventEnvelope, type RunEvent } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventWriter } from '../src/event-writer.ts'
import { runEventBlock } from '../src/run-event-block.ts'

const word = fc.constantFrom('a', 'b', '"\\\n', '\u2028 \u{1f600}')
const place = fc.record(
  {
    runId: word,
    rootRunId: word,
    agent: word,
    instance: word,
    depth: fc.nat(2),
    parentRunId: word,
    callId: word,
  },
  { requiredKeys: ['runId', 'rootRunId', 'agent', 'instance', 'depth'], noNullPrototype: true },
)
const delta = fc.record({
  type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
  text: fc.string({ unit: 'binary' }),
  // few, so that one in a row is often as the last in one of them, and not in the other
  time: fc.nat(1),
  after: fc.nat(1),
})
/** Mostly of one run. */
const deltas = fc.tuple(place, fc.array(delta)).map(([whose, each]) =>
  each.map(({ type, text, time, after }): RunEvent => ({
    ...eventEnvelope(whose, type, time),
    text,
    after,
  })),
)
const other = fc
  .tuple(place, fc.nat(9))
  .map(([head, seq]): RunEvent[] => [{ ...sampleEvent('turn-start', { ...head, turn: 1 }), seq }])

describe('a writer of events', () => {
  it('writes each event as it is written alone, whatever came before it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(deltas, other)), (groups) => {
        const events = groups.flat()
        const write = createEventWriter()
        expect(events.map(write)).toEqual(events.map(runEventBlock))
      }),
    )
  })

  it('writes a delta that has no place yet, or is kept, with all that it has', () => {
    const write = createEventWriter()
    const text = sampleEvent('text-delta', { text: 'hi' })
    expect(write(text)).toBe(runEventBlock(text))
    expect(write({ ...text, seq: 3 })).toBe(runEventBlock({ ...text, seq: 3 }))
  })
})
