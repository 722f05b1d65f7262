import { toCassette, createStepKeys } from '@troupe/cassette'
import { sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'

const start = sampleEvent('run-start', { runId: 'root' })
const own = { ...sampleEvent('usage', { runId: 'root' }), turn: 1 }
const sampled = { ...own, callId: '1.1' }
const end = sampleEvent('run-end', { runId: 'root' })

it('the step of a turn is found although an MCP server used the model in it', () => {
  const keyOf = createStepKeys([start, own, sampled, end])
  expect([own, sampled].map(keyOf)).toEqual(['llm:1', undefined])
})

it('a run in which an MCP server used the model cannot be exported as a recording', () => {
  const steps = () => new Map([['begin', { agent: { name: 'A' }, input: 'go', sessionId: 's' }]])
  expect(() => toCassette({ events: [start, own, sampled, end], steps })).toThrow(
    'an MCP server used the model of',
  )
  expect(toCassette({ events: [start, own, end], steps }).cassette).toBe(1)
})
