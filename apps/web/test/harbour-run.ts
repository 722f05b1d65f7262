import type { EventDraft, RunEvent } from '@troupe/schema'
import { TRANSIENT_EVENTS } from '@troupe/schema'
import { sampleEvent } from '@troupe/testkit/internal'

const ROOT = { runId: 'root', agent: 'Newsroom', instance: 'Newsroom', depth: 0 }
const CHILD = {
  runId: 'child',
  parentRunId: 'root',
  agent: 'Reporter',
  instance: 'Reporter[1]',
  depth: 1,
  callId: '1.1',
}

/** Returns the events of a run whose one child calls a tool that needs approval and then answers, as a server sends them. */
export function harbourRun(): readonly RunEvent[] {
  const { callId: _, ...inChild } = CHILD
  return numbered([
    sampleEvent('run-start', { ...ROOT, time: 1000, input: 'What happened?' }),
    sampleEvent('turn-start', { ...ROOT, time: 1000 }),
    sampleEvent('text-start', { ...ROOT, time: 1080 }),
    sampleEvent('text-delta', { ...ROOT, time: 1080, text: 'I ask ' }),
    sampleEvent('text-delta', { ...ROOT, time: 1090, text: 'around.' }),
    sampleEvent('text-end', { ...ROOT, time: 1090, text: 'I ask around.' }),
    sampleEvent('usage', { ...ROOT, time: 1100, latencyMs: 100 }),
    sampleEvent('tool-call', {
      ...ROOT,
      time: 1100,
      callId: '1.1',
      toolName: 'agent__Reporter',
      source: 'agent',
      childInstance: 'Reporter[1]',
    }),
    sampleEvent('tool-start', { ...ROOT, time: 1110, callId: '1.1', toolName: 'agent__Reporter' }),
    sampleEvent('run-start', { ...CHILD, time: 1110, input: 'harbour' }),
    sampleEvent('turn-start', { ...inChild, time: 1110 }),
    sampleEvent('usage', { ...inChild, time: 1200, latencyMs: 90 }),
    sampleEvent('tool-call', { ...inChild, time: 1200, callId: '1.1', toolName: 'publish' }),
    sampleEvent('approval-request', { ...inChild, time: 1200, callId: '1.1', toolName: 'publish' }),
    sampleEvent('approval-result', { ...inChild, time: 1500, callId: '1.1', toolName: 'publish' }),
    sampleEvent('tool-start', { ...inChild, time: 1500, callId: '1.1', toolName: 'publish' }),
    sampleEvent('tool-result', {
      ...inChild,
      time: 1600,
      callId: '1.1',
      toolName: 'publish',
      durationMs: 100,
    }),
    sampleEvent('run-end', {
      ...CHILD,
      time: 1700,
      durationMs: 590,
      output: { format: 'text', text: 'A ferry.' },
    }),
    sampleEvent('tool-result', {
      ...ROOT,
      time: 1700,
      callId: '1.1',
      toolName: 'agent__Reporter',
      source: 'agent',
      childRunId: 'child',
      childInstance: 'Reporter[1]',
    }),
    sampleEvent('turn-start', { ...ROOT, time: 1700, turn: 2 }),
    sampleEvent('usage', { ...ROOT, time: 1900, latencyMs: 200, turn: 2 }),
    sampleEvent('run-end', {
      ...ROOT,
      time: 2000,
      durationMs: 1000,
      output: { format: 'text', text: 'A ferry came.' },
    }),
  ])
}

/** Numbers the events as a server does. */
export function numbered(drafts: readonly EventDraft[]): readonly RunEvent[] {
  let seq = 0
  return drafts.map((draft) => {
    if (TRANSIENT_EVENTS.has(draft.type)) return { ...draft, after: seq }
    seq += 1
    return { ...draft, seq }
  })
}
