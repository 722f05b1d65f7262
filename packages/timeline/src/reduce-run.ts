import { addUsage, type RunEvent } from '@troupe/schema'
import { plainText } from './plain-text.ts'
import { type TimelineRun, type ShorteningView, correlationId, type CallView } from './view.ts'

/** Maximum number of warnings, log lines and shortenings that are kept per run. */
const MAX_LISTED = 200
const NAME_LENGTH = 80

/** Returns the run after one more of its events. */
export function reduceRun(run: TimelineRun, event: RunEvent): TimelineRun {
  const changed = reduceState(run, event)
  const calls = reduceCalls(changed, event)
  const next = calls === changed.calls ? changed : { ...changed, calls }
  if (next.state === 'done') return next
  const activity = activityOf(next, event)
  return activity === next.activity ? next : { ...next, activity }
}

function reduceState(run: TimelineRun, event: RunEvent): TimelineRun {
  switch (event.type) {
    case 'turn-start':
      return { ...run, turn: event.turn, text: '', blockStart: 0 }
    case 'text-start':
      return { ...run, blockStart: run.text.length }
    case 'text-delta':
      return { ...run, text: run.text + event.text }
    case 'text-end':
      return { ...run, text: run.text.slice(0, run.blockStart) + event.text }
    case 'approval-request':
      return event.client === undefined ? openApproval(run, event) : run
    case 'approval-result':
      return closeApproval(run, event.approvalId)
    case 'run-waiting':
      return { ...run, state: 'waiting' }
    case 'model-retry':
      return { ...run, text: '', blockStart: 0 }
    case 'model-fallback':
      return { ...run, model: event.to, text: '', blockStart: 0 }
    case 'usage':
      return { ...run, model: event.model, usage: addUsage(run.usage, event.tokens) }
    case 'tool-result':
      return { ...run, usage: { ...run.usage, toolCalls: run.usage.toolCalls + 1 } }
    case 'warning':
      return {
        ...run,
        warnings: [...run.warnings, { code: event.code, message: event.message }].slice(-MAX_LISTED),
      }
    case 'context-shortened':
      return { ...run, shortenings: [...run.shortenings, toShortening(event)].slice(-MAX_LISTED) }
    case 'log':
      return { ...run, logs: [...run.logs, event.text].slice(-MAX_LISTED) }
    case 'run-end':
      return endRun(run, event)
    default:
      return run
  }
}

function toShortening(event: Extract<RunEvent, { readonly type: 'context-shortened' }>): ShorteningView {
  const { turn, droppedMessages, trimmedResults, summary } = event
  return { turn, droppedMessages, trimmedResults, ...(summary === undefined ? {} : { summary }) }
}

function openApproval(
  run: TimelineRun,
  event: Extract<RunEvent, { readonly type: 'approval-request' }>,
): TimelineRun {
  const approval = {
    approvalId: event.approvalId,
    ...(event.callId === undefined ? {} : { callId: event.callId }),
    toolName: event.toolName,
    args: event.args,
    time: event.time,
    ...(event.expiresAt === undefined ? {} : { expiresAt: event.expiresAt }),
    ...(event.asks === undefined ? {} : { asks: event.asks }),
    ...(event.reason === undefined ? {} : { reason: event.reason }),
  }
  return { ...run, state: 'waiting', approvals: [...run.approvals, approval] }
}

function closeApproval(run: TimelineRun, approvalId: string): TimelineRun {
  const approvals = run.approvals.filter((approval) => approval.approvalId !== approvalId)
  return { ...run, approvals, state: approvals.length === 0 ? 'running' : 'waiting' }
}

function endRun(run: TimelineRun, event: Extract<RunEvent, { readonly type: 'run-end' }>): TimelineRun {
  return {
    ...run,
    state: 'done',
    outcome: event.outcome,
    ...(event.error === undefined ? {} : { error: event.error }),
    activity: event.outcome,
    approvals: [],
    output: event.output,
    text: event.output.text ?? run.text,
    endedAt: event.time,
    durationMs: event.durationMs,
    ...(event.activeMs === undefined ? {} : { activeMs: event.activeMs }),
    calls: run.calls.map(closeCall),
  }
}

/** Returns a short text for the activity of the run after the event. */
function activityOf(run: TimelineRun, event: RunEvent): string {
  switch (event.type) {
    case 'turn-start':
    case 'reasoning-delta':
      return 'thinking'
    case 'text-start':
    case 'text-delta':
      return 'writing'
    case 'tool-queued':
    case 'tool-call':
    case 'tool-start':
    case 'tool-result':
    case 'approval-result':
      return callActivity(run)
    case 'tool-progress':
      return plainText(`${event.toolName}: ${event.text}`, { max: NAME_LENGTH })
    case 'approval-request':
      if (event.client !== undefined) return 'waits for its client'
      return plainText(
        event.asks === undefined ? `waits for approval of ${event.toolName}` : 'waits for an answer',
        {
          max: NAME_LENGTH,
        },
      )
    case 'run-waiting':
      return 'waits for an answer from a person'
    case 'model-retry':
      return plainText(`retries ${event.model}`, { max: NAME_LENGTH })
    case 'model-fallback':
      return plainText(`switches to ${event.to}`, { max: NAME_LENGTH })
    default:
      return run.activity
  }
}

function callActivity(run: TimelineRun): string {
  let first: CallView | undefined
  let open = 0
  // a run may have thousands of calls, so no list of them is made for each event
  for (const call of run.calls) {
    if (call.state === 'done') continue
    first ??= call
    open += 1
  }
  if (first === undefined) return 'thinking'
  const one = plainText(`calls ${first.toolName}`, { max: NAME_LENGTH })
  return open === 1 ? one : `${one} and ${open - 1} more`
}

/** Returns the calls of a run after one more event of the run. */
function reduceCalls(run: TimelineRun, event: RunEvent): readonly CallView[] {
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
function closeCall(call: CallView): CallView {
  return call.state === 'done' ? call : { ...withoutPosition(call), state: 'done', outcome: 'cancelled' }
}

function withoutPosition(call: CallView): CallView {
  const { position: _, ...rest } = call
  return rest
}
