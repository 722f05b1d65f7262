import { eventHead, type RunEvent } from '@troupe/schema'
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
const delta = fc
  .tuple(
    place,
    fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
    fc.string({ unit: 'binary' }),
    fc.nat(9),
  )
  .map(([whose, type, text, after]): RunEvent => ({ ...eventHead(whose, type, 1000 + after), text, after }))
const other = fc
  .tuple(place, fc.nat(9))
  .map(([head, seq]): RunEvent => ({ ...sampleEvent('turn-start', { ...head, turn: 1 }), seq }))

describe('a writer of events', () => {
  it('writes each event as it is written alone, whatever came before it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: delta }, other)), (events) => {
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
