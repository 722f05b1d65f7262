import { ATTRIBUTE, OPERATION } from '../conventions/attributes.ts'
import { resultContent } from '../conventions/messages.ts'
import { approvalSpanId, queueSpanId } from '../ids/span-ids.ts'
import { OpenSpan, type SpanFailure } from './open-span.ts'
import { spanOfEvent, type EventOf, type OpenCall, type TracedRun } from './run-state.ts'
import type { TraceEmitter } from './trace-emitter.ts'

/** Reads that a child waits for a free slot. */
export function readQueued(run: TracedRun, { callId = '', time, position }: EventOf<'tool-queued'>): void {
  const call = run.calls.get(callId)
  if (call === undefined) return
  call.queue = new OpenSpan({
    spanId: queueSpanId(run.runId, callId),
    parentId: call.span.spanId,
    start: time,
    attributes: { ...run.common, 'troupe.queue.position': position },
  })
}

/** Reads the start of an attempt, which ends the wait for a slot. */
export function readStart(run: TracedRun, event: EventOf<'tool-start'>, emitter: TraceEmitter): void {
  const call = run.calls.get(event.callId ?? '')
  if (call === undefined) return
  endQueue(call, event.time, emitter)
  const { attempt, time } = event
  if (attempt > 1) call.span.addEvent({ name: 'troupe.tool.attempt', time, attributes: { attempt } })
}

function endQueue(call: OpenCall, time: number, emitter: TraceEmitter): void {
  const { queue } = call
  if (queue === undefined) return
  call.queue = undefined
  const record = emitter.end(queue, { name: 'queue', time })
  emitter.measure('queueDuration', (record.end - record.start) / 1000, {
    [ATTRIBUTE.toolName]: call.event.toolName,
  })
}

/** Reads a request to a person or to the client. */
export function readApprovalRequest(run: TracedRun, event: EventOf<'approval-request'>): void {
  const { approvalId, asks, client, time } = event
  const kind = client === true ? 'client' : asks === undefined ? 'approval' : 'question'
  run.calls.get(event.callId ?? '')?.approvals.set(
    approvalId,
    new OpenSpan({
      spanId: approvalSpanId(approvalId),
      parentId: spanOfEvent(run, event).spanId,
      start: time,
      attributes: { ...run.common, [ATTRIBUTE.toolName]: event.toolName, 'troupe.approval.kind': kind },
    }),
  )
}

/** Reads a decision. A decision that was remembered has no request. */
export function readApprovalResult(
  run: TracedRun,
  event: EventOf<'approval-result'>,
  emitter: TraceEmitter,
): void {
  const { approvalId, decision, time } = event
  const call = run.calls.get(event.callId ?? '')
  const span = call?.approvals.get(approvalId)
  if (call === undefined || span === undefined) return
  call.approvals.delete(approvalId)
  endApproval(span, { time, decision }, emitter)
}

function endApproval(
  span: OpenSpan,
  { time, decision }: { readonly time: number; readonly decision: string | undefined },
  emitter: TraceEmitter,
): void {
  if (decision !== undefined) span.attributes['troupe.approval.decision'] = decision
  emitter.end(span, { name: 'approval', time })
}

/** Reads the result of a call. */
export function readResult(
  run: TracedRun,
  event: EventOf<'tool-result'>,
  { emitter, hasContent }: { readonly emitter: TraceEmitter; readonly hasContent: boolean },
): void {
  const { callId = '', outcome, error, attempts, content, time } = event
  const call = run.calls.get(callId)
  if (call === undefined) return
  call.span.attributes[ATTRIBUTE.attempts] = attempts
  if (hasContent) call.span.attributes[ATTRIBUTE.toolResult] = resultContent(content)
  const failure =
    outcome === 'completed' ? undefined : { code: error?.code ?? outcome, message: error?.message ?? '' }
  const seconds = endCall(run, callId, { time, outcome, failure }, emitter)
  // names of unknown tools are invented by models
  if (attempts === 0) return
  emitter.measure('toolDuration', seconds, {
    [ATTRIBUTE.operation]: OPERATION.tool,
    [ATTRIBUTE.toolName]: event.toolName,
    ...(failure === undefined ? {} : { [ATTRIBUTE.errorType]: failure.code }),
  })
}

/** Ends a call with its waits. Returns its duration in seconds. */
export function endCall(
  run: TracedRun,
  callId: string,
  end: { readonly time: number; readonly outcome: string; readonly failure: SpanFailure | undefined },
  emitter: TraceEmitter,
): number {
  const call = run.calls.get(callId)
  if (call === undefined) return 0
  run.calls.delete(callId)
  const { time, outcome, failure } = end
  endQueue(call, time, emitter)
  for (const approval of call.approvals.values())
    endApproval(approval, { time, decision: undefined }, emitter)
  call.span.attributes[ATTRIBUTE.outcome] = outcome
  const name = `${OPERATION.tool} ${call.event.toolName}`
  const record = emitter.end(call.span, { name, time, failure })
  return (record.end - record.start) / 1000
}
