import { EVENT_TYPES } from '@troupe/schema'
import { sampleEvent, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { eventFields, eventLine, logRecord } from '../src/index.ts'

describe('logRecord', () => {
  it(`logRecord has fields for caller, call and tool, and a message ${verifies('A91')}`, () => {
    const child = { runId: 'child', parentRunId: 'root', agent: 'Weather', instance: 'Weather[2]', depth: 1 }
    const event = sampleEvent('tool-call', {
      ...child,
      callId: '1.1',
      toolName: 'maps__find',
      args: { city: 'Rome' },
    })
    expect(logRecord(event)).toEqual({
      ...eventFields(event),
      level: 'info',
      message: 'calls maps__find {"city":"Rome"}',
    })
    expect(logRecord(event)).toMatchObject({
      agent_name: 'Weather',
      instance_name: 'Weather[2]',
      correlation_id: 'child:1.1',
      tool_name: 'maps__find',
    })
  })

  it('logRecord exists for exactly the events that have a line', () => {
    const having = (make: typeof logRecord | typeof eventLine) =>
      EVENT_TYPES.filter((type) => make(sampleEvent(type)) !== undefined)
    expect(having(logRecord)).toEqual(having(eventLine))
  })

  it('logRecord has the severity of its event', () => {
    const levels = [
      sampleEvent('run-end'),
      sampleEvent('run-end', { outcome: 'partial' }),
      sampleEvent('tool-result', { outcome: 'failed' }),
      sampleEvent('warning'),
    ].map((event) => logRecord(event)?.level)
    expect(levels).toEqual(['info', 'warn', 'error', 'warn'])
  })

  it('logRecord is one line of plain text, at most as long as requested', () => {
    const record = logRecord(sampleEvent('log', { text: `a\u001B[2J\nb${'c'.repeat(100)}` }), { max: 10 })
    expect(record?.message).toBe('a bcccccc…')
  })
})
