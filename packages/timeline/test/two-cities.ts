import type { EventDraft, RunEvent } from '@troupe/schema'
import { NO_USAGE } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'

/** Returns the events, as a store emits them, of a run with two parallel children of which the second fails. */
export function twoCities(): readonly RunEvent[] {
  const root = { runId: 'root', agent: 'Time', instance: 'Time', depth: 0 }
  const newYork = child('child-1', 'New-York[1]', '1.1')
  const london = child('child-2', 'London[2]', '1.2')
  return numbered([
    sampleEvent('run-start', { ...root, time: 1000, input: 'What time is it?' }),
    sampleEvent('turn-start', { ...root, turn: 1 }),
    sampleEvent('usage', { ...root, tokens: tokens(100, 20, 30), cost: 0.00003, latencyMs: 40 }),
    sampleEvent('tool-call', { ...root, callId: '1.1', ...asks('New-York', 1) }),
    sampleEvent('tool-call', { ...root, callId: '1.2', ...asks('London', 2) }),
    sampleEvent('tool-start', { ...root, callId: '1.1', toolName: 'agent__New-York' }),
    sampleEvent('run-start', { ...newYork, time: 1100 }),
    sampleEvent('tool-queued', {
      ...root,
      callId: '1.2',
      toolName: 'agent__London',
      position: 1,
      childInstance: 'London[2]',
    }),
    sampleEvent('turn-start', { ...newYork, turn: 1 }),
    sampleEvent('text-start', newYork),
    sampleEvent('text-delta', { ...newYork, text: '10:' }),
    sampleEvent('text-delta', { ...newYork, text: '30' }),
    sampleEvent('text-end', { ...newYork, text: '10:30' }),
    sampleEvent('usage', { ...newYork, tokens: tokens(50, 5, 7), cost: 0.000007, latencyMs: 20 }),
    sampleEvent('run-end', {
      ...newYork,
      time: 1500,
      durationMs: 400,
      output: { format: 'text', text: '10:30' },
    }),
    sampleEvent('tool-result', {
      ...root,
      callId: '1.1',
      toolName: 'agent__New-York',
      source: 'agent',
      childRunId: 'child-1',
      childInstance: 'New-York[1]',
      durationMs: 410,
    }),
    sampleEvent('tool-start', { ...root, callId: '1.2', toolName: 'agent__London' }),
    sampleEvent('run-start', { ...london, time: 1500 }),
    sampleEvent('usage', { ...london, tokens: tokens(60, 0, 0), cost: null, latencyMs: 10 }),
    sampleEvent('run-end', { ...london, time: 1600, durationMs: 100, outcome: 'failed', error: FAILED }),
    sampleEvent('tool-result', {
      ...root,
      callId: '1.2',
      toolName: 'agent__London',
      source: 'agent',
      outcome: 'failed',
      childInstance: 'London[2]',
      error: FAILED,
      durationMs: 105,
    }),
    sampleEvent('turn-start', { ...root, turn: 2 }),
    sampleEvent('run-end', {
      ...root,
      time: 2000,
      durationMs: 1000,
      output: { format: 'text', text: 'half past ten' },
    }),
  ])
}

/** Numbers durable events as a store does, and gives transient ones the position after the last durable one. */
export function numbered(drafts: readonly EventDraft[]): readonly RunEvent[] {
  let seq = 0
  return drafts.map((draft) =>
    draft.type.startsWith('text-') || draft.type === 'log' || draft.type === 'tool-progress'
      ? { ...draft, after: seq }
      : { ...draft, seq: (seq += 1) },
  )
}

const FAILED = { class: 'model', code: 'model_overloaded', message: 'too busy', remediation: 'wait' } as const

function child(runId: string, instance: string, callId: string): object {
  const agent = instance.slice(0, instance.indexOf('['))
  return { runId, agent, instance, depth: 1, parentRunId: 'root', callId }
}

function asks(agent: string, index: number): object {
  return {
    toolName: `agent__${agent}`,
    source: 'agent',
    args: { text: 'now?' },
    turn: 1,
    ordinal: index,
    childInstance: `${agent}[${index}]`,
  }
}

function tokens(input: number, output: number, micros: number): typeof NO_USAGE {
  return { ...NO_USAGE, input, output, micros, modelCalls: 1 }
}
