import type { Attributes } from '@opentelemetry/api'
import { addUsage, type Usage } from '@troupe/schema'
import { ATTRIBUTE, OPERATION } from '../conventions/attributes.ts'
import { modelName, providerName } from '../conventions/provider-name.ts'
import { chatSpanId } from '../ids/span-ids.ts'
import { OpenSpan } from './open-span.ts'
import { turnSpan, type EventOf, type OpenChat, type TracedRun } from './run-state.ts'
import type { TraceEmitter } from './trace-emitter.ts'

const CONVERSATION = ''

/** Reads the end of an attempt. It begins a model call, unless it is a retry. */
export function readUsage(run: TracedRun, event: EventOf<'usage'>, emitter: TraceEmitter): void {
  const key = event.callId ?? CONVERSATION
  const open = run.chats.get(key)
  if (open?.isRetrying === true) {
    open.tokens = addUsage(open.tokens, event.tokens)
    open.cost += event.cost ?? 0
    open.end = event.time
    open.error = event.error
    open.isRetrying = false
    return
  }
  if (open !== undefined) endChat(run, key, emitter)
  run.chats.set(key, openChat(run, event, emitter))
}

function openChat(run: TracedRun, event: EventOf<'usage'>, emitter: TraceEmitter): OpenChat {
  const { callId, turn, time, latencyMs, seq = 0, provider, model, tokens, cost, error } = event
  const parent = (callId === undefined ? undefined : run.calls.get(callId)?.span) ?? turnSpan(run, turn)
  const span = new OpenSpan({
    spanId: chatSpanId(run.runId, seq),
    parentId: parent.spanId,
    followsId: emitter.takeFollowsId(),
    // rounded latencies may begin before the turn
    start: Math.min(time, Math.max(time - latencyMs, parent.start)),
    attributes: {
      ...run.common,
      [ATTRIBUTE.operation]: OPERATION.chat,
      [ATTRIBUTE.provider]: providerName(provider),
      [ATTRIBUTE.requestModel]: modelName(model, provider),
      ...(run.isCompacted ? { [ATTRIBUTE.compacted]: true } : {}),
    },
  })
  return {
    span,
    provider,
    model,
    tokens,
    cost: cost ?? 0,
    end: time,
    error,
    isRetrying: false,
    finishReason: undefined,
  }
}

/** Reads a retry: the model call continues with another attempt. */
export function readRetry(run: TracedRun, event: EventOf<'model-retry'>): void {
  const failed = [...run.chats.values()].findLast(({ error }) => error !== undefined)
  if (failed === undefined) return
  failed.isRetrying = true
  const { attempt, delayMs, code, time } = event
  failed.span.addEvent({
    name: 'troupe.model.retry',
    time,
    attributes: { attempt, delay_ms: delayMs, [ATTRIBUTE.errorType]: code },
  })
}

/** Ends the model call of the conversation with the finish reason of its turn. */
export function finishChat(run: TracedRun, finishReason: string, emitter: TraceEmitter): void {
  const open = run.chats.get(CONVERSATION)
  if (open !== undefined) open.finishReason = finishReason
  endChats(run, emitter)
}

/** Ends all model calls of a run. */
export function endChats(run: TracedRun, emitter: TraceEmitter): void {
  for (const key of run.chats.keys()) endChat(run, key, emitter)
}

function endChat(run: TracedRun, key: string, emitter: TraceEmitter): void {
  const open = run.chats.get(key)
  if (open === undefined) return
  run.chats.delete(key)
  const { span, tokens, cost, end, error, finishReason } = open
  const model = modelName(open.model, open.provider)
  Object.assign(span.attributes, tokenAttributes(tokens), {
    [ATTRIBUTE.attempts]: tokens.modelCalls,
    ...(tokens.unpriced > 0 ? {} : { [ATTRIBUTE.cost]: cost }),
    ...(tokens.estimated > 0 ? { [ATTRIBUTE.estimated]: true } : {}),
    ...(finishReason === undefined ? {} : { [ATTRIBUTE.finishReasons]: [finishReason] }),
  })
  const record = emitter.end(span, {
    name: `${OPERATION.chat} ${model}`,
    isClient: true,
    time: end,
    failure: error,
  })
  const measured = {
    [ATTRIBUTE.operation]: OPERATION.chat,
    [ATTRIBUTE.provider]: providerName(open.provider),
    [ATTRIBUTE.requestModel]: model,
  }
  const failed = error === undefined ? {} : { [ATTRIBUTE.errorType]: error.code }
  emitter.measure('chatDuration', (record.end - record.start) / 1000, { ...measured, ...failed })
  const counted = { ...measured, [ATTRIBUTE.tokenModality]: 'unknown' }
  emitter.measure('inputTokens', tokens.input, counted)
  emitter.measure('outputTokens', tokens.output, counted)
  emitter.measure('cacheReadTokens', tokens.cacheRead, counted)
  emitter.measure('cacheWriteTokens', tokens.cacheWrite, counted)
  emitter.measure('reasoningTokens', tokens.reasoning, counted)
  if (cost > 0) emitter.measure('cost', cost, { ...measured, [ATTRIBUTE.agentName]: run.agent })
}

function tokenAttributes({ input, output, cacheRead, cacheWrite, reasoning }: Usage): Attributes {
  return {
    [ATTRIBUTE.inputTokens]: input,
    [ATTRIBUTE.outputTokens]: output,
    ...(cacheRead === 0 ? {} : { [ATTRIBUTE.cacheReadTokens]: cacheRead }),
    ...(cacheWrite === 0 ? {} : { [ATTRIBUTE.cacheWriteTokens]: cacheWrite }),
    ...(reasoning === 0 ? {} : { [ATTRIBUTE.reasoningTokens]: reasoning }),
  }
}
