import {
  OUTCOMES,
  TOOL_SOURCES,
  type EventBase,
  type EventPayloads,
  type EventType,
  type RunEvent,
} from '@troupe/schema'
import { z } from 'zod'
import {
  count,
  deciderShape,
  failureShape,
  jsonShape,
  outputShape,
  problemListShape,
  questionShape,
} from './shapes.ts'

/** A schema of each field, so that neither an event nor a field can be left out. */
type FieldSchemas<T> = { readonly [Key in keyof T]-?: z.ZodType<T[Key] | undefined> }

const usageShape = z
  .object({
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    reasoning: count,
    micros: z.number().meta({ description: 'Cost in millionths of a USD.' }),
    modelCalls: count,
    toolCalls: count,
    unpriced: count.meta({ description: 'Model calls whose price is not known.' }),
    estimated: count.meta({ description: 'Model calls whose tokens the provider did not report.' }),
  })
  .meta({ id: 'EventUsage' })

const text = z.string()
const source = z.enum(TOOL_SOURCES)
const outcome = z.enum(OUTCOMES)
const args = z.record(z.string(), jsonShape)
const scope = z.enum(['session', 'always'])
const content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('data'), mediaType: text, base64: text }),
])

/** The fields of every event. */
const BASE: FieldSchemas<EventBase & Pick<RunEvent, 'seq' | 'after'>> = {
  time: z.number().meta({ description: 'In ms since 1970.' }),
  runId: text,
  rootRunId: text,
  parentRunId: text.optional(),
  agent: text,
  instance: text,
  depth: count,
  callId: text.optional(),
  calledAs: text.optional(),
  seq: count.optional().meta({ description: 'The number of the event in its run tree, from 1.' }),
  after: count
    .optional()
    .meta({ description: 'Instead of `seq`, for events that are not stored: the last `seq`.' }),
}

const PAYLOADS: { readonly [T in EventType]: FieldSchemas<EventPayloads[T]> } = {
  'run-start': {
    input: text,
    model: z.array(text),
    definition: z.object({ name: text, digest: text, version: text }),
    sessionId: text,
    maxInstances: z.number(),
  },
  'turn-start': { turn: count },
  'text-start': { turn: count },
  'text-delta': { text },
  'text-end': { turn: count, text },
  'reasoning-delta': { text },
  'tool-queued': { toolName: text, position: count, childInstance: text.optional() },
  'tool-call': {
    toolName: text,
    source,
    server: text.optional(),
    args,
    turn: count,
    ordinal: count,
    toolUseId: text,
    childInstance: text.optional(),
  },
  'tool-start': { toolName: text, attempt: count },
  'tool-progress': { toolName: text, text },
  'tool-result': {
    toolName: text,
    source,
    server: text.optional(),
    outcome,
    content: z.array(content),
    error: failureShape.optional(),
    attempts: count,
    durationMs: z.number(),
    bytesIn: count,
    bytesOut: count,
    childRunId: text.optional(),
    childInstance: text.optional(),
  },
  'approval-request': {
    approvalId: text,
    toolName: text,
    args,
    asks: questionShape.optional(),
    reason: text.optional(),
    expiresAt: z.number().optional(),
    client: z.literal(true).optional(),
  },
  'approval-result': {
    approvalId: text,
    toolName: text,
    decision: z.enum(['approved', 'denied']),
    reason: text.optional(),
    answer: text.optional(),
    values: args.optional(),
    remember: scope.optional(),
    remembered: scope.optional(),
    by: deciderShape.optional(),
  },
  'model-retry': { model: text, attempt: count, delayMs: z.number(), code: text, message: text },
  'model-fallback': { from: text, to: text, code: text },
  usage: {
    provider: text,
    model: text,
    tokens: usageShape,
    cost: z.number().nullable().meta({ description: 'In USD; null if the price is unknown.' }),
    latencyMs: z.number(),
    estimated: z.boolean(),
    turn: count,
    error: failureShape.optional(),
    partialText: text.optional(),
  },
  budget: { kind: z.enum(['tokens', 'cost']), used: z.number(), cap: z.number() },
  'context-shortened': {
    strategy: z.enum(['trim', 'summarise']),
    reason: z.enum(['threshold', 'overflow']),
    droppedMessages: count,
    trimmedResults: count,
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    summary: text.optional(),
    turn: count,
  },
  'run-waiting': { approvalId: text },
  log: { text, data: jsonShape.optional() },
  warning: { code: text, message: text, weakens: z.literal(true).optional() },
  'turn-end': { turn: count, finishReason: text, toolCalls: count },
  'run-end': {
    outcome,
    output: outputShape,
    usage: usageShape,
    byAgent: z.record(z.string(), usageShape),
    unpriced: z.array(text),
    error: failureShape.optional(),
    durationMs: z.number(),
    activeMs: z.number().optional(),
    problems: problemListShape.optional(),
    problemCount: count.optional(),
  },
}

const [first, ...others] = Object.entries(PAYLOADS).map(([type, fields]) =>
  z.object({ type: z.literal(type), ...fields }),
)

/** Schema of a run event. */
export const eventShape: z.ZodType = z
  .intersection(z.object(BASE).meta({ id: 'EventEnvelope' }), unionOf(first, others))
  .meta({ id: 'RunEvent' })

type EventObject = z.ZodObject<{ readonly type: z.ZodLiteral<string> }>

function unionOf(one: EventObject | undefined, more: readonly EventObject[]): z.ZodType {
  return one === undefined ? z.never() : z.discriminatedUnion('type', [one, ...more])
}

/** Schema of a page of events. */
export const eventPageShape: z.ZodType = z
  .object({
    events: z.array(eventShape),
    lastSeq: z.number().int().meta({ description: 'The `seq` of the last stored event of the run.' }),
  })
  .meta({ id: 'EventPage' })
