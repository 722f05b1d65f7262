import {
  NO_USAGE,
  type EventBase,
  type EventDraft,
  type EventPayloads,
  type EventType,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'

const SAMPLES: { readonly [T in EventType]: EventPayloads[T] } = {
  'run-start': {
    input: 'go',
    model: ['script/script'],
    definition: { name: 'Agent', digest: 'digest', version: '0.0.0' },
    sessionId: 'session',
    maxInstances: 20,
  },
  'turn-start': { turn: 1 },
  'text-start': { turn: 1 },
  'text-delta': { text: 'text' },
  'text-end': { turn: 1, text: 'text' },
  'reasoning-delta': { text: 'thought' },
  'tool-queued': { toolName: 'tool', position: 1 },
  'tool-call': { toolName: 'tool', source: 'function', args: {}, turn: 1, ordinal: 0, toolUseId: 'use-1' },
  'tool-start': { toolName: 'tool', attempt: 1 },
  'tool-progress': { toolName: 'tool', text: 'half' },
  'tool-result': {
    toolName: 'tool',
    source: 'function',
    outcome: 'completed',
    content: [{ type: 'text', text: 'done' }],
    attempts: 1,
    durationMs: 5,
    bytesIn: 2,
    bytesOut: 4,
  },
  'approval-request': { approvalId: 'approval-1', toolName: 'tool', args: {} },
  'approval-result': { approvalId: 'approval-1', toolName: 'tool', decision: 'approved' },
  'model-retry': {
    model: 'script/script',
    attempt: 1,
    delayMs: 100,
    code: 'model_overloaded',
    message: 'busy',
  },
  'model-fallback': { from: 'script/a', to: 'script/b', code: 'model_overloaded' },
  usage: {
    provider: 'script',
    model: 'script',
    tokens: { ...NO_USAGE, input: 10, output: 5, modelCalls: 1 },
    cost: 0,
    latencyMs: 3,
    estimated: false,
    turn: 1,
  },
  budget: { kind: 'tokens', used: 80, cap: 100 },
  'context-shortened': {
    strategy: 'summarise',
    reason: 'threshold',
    droppedMessages: 12,
    trimmedResults: 0,
    tokensBefore: 7000,
    tokensAfter: 3000,
    summary: 'what was done',
    turn: 1,
  },
  'run-waiting': { approvalId: 'approval-1' },
  log: { text: 'note' },
  warning: { code: 'tool_name_conflict', message: 'two tools of one name' },
  'turn-end': { turn: 1, finishReason: 'stop', toolCalls: 0 },
  'run-end': {
    outcome: 'completed',
    output: { format: 'text', text: 'done' },
    usage: NO_USAGE,
    byAgent: {},
    unpriced: [],
    durationMs: 10,
  },
}

const BASE: EventBase = {
  time: 1000,
  runId: 'run',
  rootRunId: 'root',
  agent: 'Agent',
  instance: 'Agent',
  depth: 0,
}

/** Returns a valid event of the type with simple values. `changes` replaces fields of its base or payload. */
export function sampleEvent<T extends EventType>(
  type: T,
  changes: Partial<EventBase> & Partial<EventPayloads[T]> = {},
): Extract<EventDraft, { readonly type: T }> {
  const event: unknown = { ...BASE, type, ...SAMPLES[type], ...changes }
  return event as Extract<EventDraft, { readonly type: T }>
}

/** A listener that records events. */
export interface EventRecord {
  readonly listener: RunListener
  /** All events so far, in order. */
  readonly events: readonly RunEvent[]
  types(): readonly EventType[]
  /** Returns the recorded events of one type. */
  of<T extends EventType>(type: T): readonly Extract<RunEvent, { readonly type: T }>[]
}

/** Creates a listener that records every event. */
export function recordEvents(): EventRecord {
  const events: RunEvent[] = []
  return {
    listener: (event) => {
      events.push(event)
    },
    events,
    types: () => events.map((event) => event.type),
    of: <T extends EventType>(type: T) =>
      events.filter((event): event is Extract<RunEvent, { readonly type: T }> => event.type === type),
  }
}
