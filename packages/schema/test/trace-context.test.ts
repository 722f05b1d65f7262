import { describe, expect, it } from 'vitest'
import { readTraceContext } from '../src/index.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('a trace context', () => {
  it('a trace context is read from its two fields', () => {
    const fields = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=1', other: 'x' }
    expect(readTraceContext(fields)).toEqual({
      traceparent: `00-${TRACE}-${SPAN}-01`,
      tracestate: 'vendor=1',
    })
  })

  it('a trace context of a later version is read as one of version 00', () => {
    expect(readTraceContext({ traceparent: `cc-${TRACE}-${SPAN}-01-more` })).toEqual({
      traceparent: `00-${TRACE}-${SPAN}-01`,
    })
  })

  it.each([
    ['is missing', undefined],
    ['is not a text', 1],
    ['is short', `00-${TRACE}-${SPAN}`],
    ['has a zero trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['has a zero span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['has upper-case letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['has the invalid version ff', `ff-${TRACE}-${SPAN}-01`],
    ['has more fields than version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['is very long', `01-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`],
  ])('a traceparent that %s gives no trace context', (_what, traceparent) => {
    expect(readTraceContext({ traceparent })).toBeUndefined()
  })

  it.each([
    ['is longer than 512 characters', 'x'.repeat(513)],
    ['has control characters', 'a=1\nb=2'],
  ])('a tracestate that %s is left out', (_what, tracestate) => {
    expect(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-00`, tracestate })).toEqual({
      traceparent: `00-${TRACE}-${SPAN}-00`,
    })
  })
})
