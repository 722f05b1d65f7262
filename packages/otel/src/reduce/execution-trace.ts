import type { Attributes } from '@opentelemetry/api'
import type { RunEvent, Outcome, Usage } from '@troupe/schema'
import { metadataEvent, type TracedExecution } from '@troupe/schema/ports'
import { ATTRIBUTE, OPERATION } from '../conventions/attributes.ts'
import { messagesJson } from '../conventions/messages.ts'
import { callSpanId, runSpanId } from '../ids/span-ids.ts'
import { endChats, finishChat, readRetry, readUsage } from './model-calls.ts'
import { openCall, openRun, openTurn, spanOfEvent, type EventOf, type TracedRun } from './run-state.ts'
import {
  endCall,
  readApprovalRequest,
  readApprovalResult,
  readQueued,
  readResult,
  readStart,
} from './tool-calls.ts'
import { TraceEmitter } from './trace-emitter.ts'
import type { TraceOutput } from './trace-output.ts'

/** Outcomes of runs that are errors of their spans. */
const ERRORS: ReadonlySet<Outcome> = new Set<Outcome>(['failed', 'timeout', 'budget', 'denied'])

/** Reduces the events of an execution to spans, log records and measurements. */
export class ExecutionTrace {
  readonly #execution: TracedExecution
  readonly #callerSpanId: string | undefined
  readonly #hasContent: boolean
  readonly #hasTurns: boolean
  readonly #emitter: TraceEmitter
  readonly #runs = new Map<string, TracedRun>()

  constructor(
    execution: TracedExecution,
    parts: { readonly output: TraceOutput; readonly callerSpanId: string | undefined },
  ) {
    this.#execution = execution
    this.#callerSpanId = parts.callerSpanId
    this.#hasContent = execution.content === true
    this.#hasTurns = execution.turns !== false
    this.#emitter = new TraceEmitter(parts.output, execution.resumedAfter)
  }

  /** Ends the trace. A run that had ended before its resume has no further event. */
  close(): void {
    this.#emitter.sendPast()
  }

  read(received: RunEvent): void {
    const event = this.#hasContent ? received : metadataEvent(received)
    const isResumed = this.#emitter.next(event)
    if (event.type === 'run-start') this.#startRun(event)
    const run = this.#runs.get(event.runId)
    if (run === undefined) return
    if (isResumed) this.#resume(event.time)
    this.#readOf(run, event)
  }

  #readOf(run: TracedRun, event: RunEvent): void {
    const emitter = this.#emitter
    switch (event.type) {
      case 'turn-start':
        this.#endTurn(run, event.time)
        run.turn = openTurn(run, event, { hasSpan: this.#hasTurns, followsId: emitter.takeFollowsId() })
        break
      case 'turn-end':
        finishChat(run, event.finishReason, emitter)
        this.#endTurn(run, event.time)
        break
      case 'usage':
        readUsage(run, event, emitter)
        break
      case 'model-retry':
        readRetry(run, event)
        this.#log(run, event, { model: event.model, attempt: event.attempt, delay_ms: event.delayMs })
        break
      case 'model-fallback':
        endChats(run, emitter)
        this.#note(run, event, { from: event.from, to: event.to, [ATTRIBUTE.errorType]: event.code })
        break
      case 'tool-call':
        run.calls.set(
          event.callId ?? '',
          openCall(run, event, { hasContent: this.#hasContent, followsId: emitter.takeFollowsId() }),
        )
        break
      case 'tool-queued':
        readQueued(run, event)
        break
      case 'tool-start':
        readStart(run, event, emitter)
        break
      case 'tool-result':
        readResult(run, event, { emitter, hasContent: this.#hasContent })
        break
      case 'approval-request':
        readApprovalRequest(run, event)
        break
      case 'approval-result':
        readApprovalResult(run, event, emitter)
        break
      case 'run-waiting':
        emitter.suspend()
        run.span.addEvent({ name: 'troupe.run.waiting', time: event.time, attributes: {} })
        break
      case 'budget':
        this.#note(run, event, { kind: event.kind, used: event.used, cap: event.cap })
        break
      case 'context-shortened':
        run.isCompacted = true
        this.#note(run, event, {
          strategy: event.strategy,
          reason: event.reason,
          tokens_before: event.tokensBefore,
          tokens_after: event.tokensAfter,
        })
        break
      case 'warning':
        this.#note(run, event, { [ATTRIBUTE.errorType]: event.code })
        break
      case 'run-end':
        this.#endRun(run, event)
        break
      default:
    }
  }

  #startRun(event: EventOf<'run-start'>): void {
    this.#runs.set(
      event.runId,
      openRun(event, {
        parentId: this.#parentId(event),
        followsId: this.#emitter.takeFollowsId(),
        hasContent: this.#hasContent,
      }),
    )
  }

  /**
   * Returns the id of the parent span of a run: that of the caller, or of the tool call in the parent run. For a child
   * that a composition has started, it is that of the parent run.
   */
  #parentId({ runId, parentRunId, callId }: EventOf<'run-start'>): string | undefined {
    if (parentRunId === undefined) return this.#callerSpanId
    const { request } = this.#execution
    const hasCall =
      runId === request.runId
        ? request.site?.isDelegated !== true
        : this.#runs.get(parentRunId)?.calls.has(callId ?? '') === true
    return callId !== undefined && hasCall ? callSpanId(parentRunId, callId) : runSpanId(parentRunId)
  }

  /** Marks the resume in the span of the first run of the execution. */
  #resume(time: number): void {
    const [run] = this.#runs.values()
    run?.span.addEvent({ name: 'troupe.run.resumed', time, attributes: {} })
  }

  #endTurn(run: TracedRun, time: number): void {
    const { turn } = run
    run.turn = undefined
    if (turn?.span !== undefined) this.#emitter.end(turn.span, { name: `turn ${turn.turn}`, time })
  }

  /** Ends a run, with everything of it that is still open, so that no span lacks its parent. */
  #endRun(run: TracedRun, event: EventOf<'run-end'>): void {
    const { time, outcome, error, output, usage, runId, rootRunId } = event
    this.#runs.delete(runId)
    if (runId === rootRunId) this.#endAbandoned(time)
    this.#endParts(run, time)
    Object.assign(run.span.attributes, totals(usage), { [ATTRIBUTE.outcome]: outcome })
    if (this.#hasContent && output.text !== undefined)
      run.span.attributes[ATTRIBUTE.outputMessages] = messagesJson('assistant', output.text)
    const failure = ERRORS.has(outcome)
      ? { code: error?.code ?? outcome, message: error?.message ?? '' }
      : undefined
    const record = this.#emitter.end(run.span, { name: `${OPERATION.agent} ${run.agent}`, time, failure })
    this.#emitter.measure('runDuration', (record.end - record.start) / 1000, {
      [ATTRIBUTE.operation]: OPERATION.agent,
      [ATTRIBUTE.agentName]: run.agent,
      ...(failure === undefined ? {} : { [ATTRIBUTE.errorType]: failure.code }),
    })
  }

  #endParts(run: TracedRun, time: number): void {
    endChats(run, this.#emitter)
    for (const callId of run.calls.keys())
      endCall(run, callId, { time, outcome: 'cancelled', failure: undefined }, this.#emitter)
    this.#endTurn(run, time)
  }

  /** Ends the runs that their callers have abandoned and that have no end of their own. */
  #endAbandoned(time: number): void {
    for (const run of this.#runs.values()) {
      this.#endParts(run, time)
      run.span.attributes[ATTRIBUTE.outcome] = 'cancelled'
      this.#emitter.end(run.span, { name: `${OPERATION.agent} ${run.agent}`, time })
    }
    this.#runs.clear()
  }

  /** Adds an event to the span that it belongs to, and a log record. */
  #note(run: TracedRun, event: NotedEvent, attributes: Attributes): void {
    spanOfEvent(run, event).addEvent({ name: nameOf(event), time: event.time, attributes })
    this.#log(run, event, attributes)
  }

  #log(run: TracedRun, event: NotedEvent, attributes: Attributes): void {
    const name = nameOf(event)
    const message = 'message' in event ? event.message : ''
    const code = 'code' in event ? event.code : name
    this.#emitter.log({
      name,
      time: event.time,
      isWarning: event.type !== 'budget' && event.type !== 'context-shortened',
      body: message === '' ? code : message,
      attributes: { ...run.common, [ATTRIBUTE.runId]: run.runId, code, ...attributes },
      spanId: spanOfEvent(run, event).spanId,
    })
  }
}

type NotedEvent = EventOf<'model-retry' | 'model-fallback' | 'budget' | 'context-shortened' | 'warning'>

const EVENT_NAMES = {
  'model-retry': 'troupe.model.retry',
  'model-fallback': 'troupe.model.fallback',
  budget: 'troupe.budget',
  'context-shortened': 'troupe.context.shortened',
  warning: 'troupe.warning',
} as const

function nameOf({ type }: NotedEvent): string {
  return EVENT_NAMES[type]
}

/** Usage of a run and the runs below it. Not under the names of the conventions, whose values products add up. */
function totals(usage: Usage): Attributes {
  return {
    'troupe.usage.input_tokens': usage.input,
    'troupe.usage.output_tokens': usage.output,
    'troupe.usage.model_calls': usage.modelCalls,
    'troupe.usage.tool_calls': usage.toolCalls,
    ...(usage.unpriced > 0 ? {} : { 'troupe.usage.cost': usage.micros / 1_000_000 }),
  }
}
