import type { RunEvent } from '@troupe/schema'
import { correlationId } from './correlation.ts'
import type { CallView, TimelineRun } from './view.ts'

/** Returns the calls of a run after one more event of the run. */
export function reduceCalls(run: TimelineRun, event: RunEvent): readonly CallView[] {
  if (event.callId === undefined || !event.type.startsWith('tool-')) return run.calls
  if (event.type === 'tool-call') return addCall(run, event)
  const index = run.calls.findLastIndex((call) => call.callId === event.callId)
  const call = run.calls[index]
  if (call === undefined) return run.calls
  const changed = changeCall(call, event)
  if (changed === call) return run.calls
  const calls = run.calls.with(index, changed)
  return call.position !== undefined && changed.position === undefined ? renumberQueue(calls) : calls
}

/** Renumbers the queue from 1 after a call has left it. */
function renumberQueue(calls: readonly CallView[]): readonly CallView[] {
  let position = 0
  return calls.map((call) => (call.position === undefined ? call : { ...call, position: (position += 1) }))
}

function addCall(
  run: TimelineRun,
  event: Extract<RunEvent, { readonly type: 'tool-call' }>,
): readonly CallView[] {
  const callId = event.callId ?? ''
  if (run.calls.some((call) => call.callId === callId)) return run.calls
  const call: CallView = {
    callId,
    correlationId: correlationId(run.runId, callId),
    toolName: event.toolName,
    source: event.source,
    ...(event.server === undefined ? {} : { server: event.server }),
    args: event.args,
    turn: event.turn,
    state: 'queued',
    ...(event.childInstance === undefined ? {} : { childInstance: event.childInstance }),
    attempts: 0,
  }
  return [...run.calls, call]
}

function changeCall(call: CallView, event: RunEvent): CallView {
  switch (event.type) {
    case 'tool-queued':
      return { ...call, position: event.position }
    case 'tool-start':
      return { ...withoutPosition(call), state: 'running', attempts: event.attempt }
    case 'tool-progress':
      return { ...call, progress: event.text }
    case 'tool-result':
      return endCall(call, event)
    default:
      return call
  }
}

function endCall(call: CallView, event: Extract<RunEvent, { readonly type: 'tool-result' }>): CallView {
  return {
    ...withoutPosition(call),
    state: 'done',
    outcome: event.outcome,
    content: event.content,
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.childRunId === undefined ? {} : { childRunId: event.childRunId }),
    attempts: event.attempts,
    durationMs: event.durationMs,
  }
}

/** Closes a call that is still open when its run ends, because nothing will complete it any more. */
export function closeCall(call: CallView): CallView {
  return call.state === 'done' ? call : { ...withoutPosition(call), state: 'done', outcome: 'cancelled' }
}

function withoutPosition(call: CallView): CallView {
  const { position: _, ...rest } = call
  return rest
}
