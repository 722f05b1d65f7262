import { hash } from 'node:crypto'

const RANDOM_DIGITS = /^(?!0{32})[0-9a-f]{32}$/u
const TRACE_ID_DIGITS = 32
const SPAN_ID_DIGITS = 16

/** Returns the trace id of a run tree: the random part of the id of its root run, or a hash of the whole id. */
export function traceIdOf(rootRunId: string): string {
  const digits = rootRunId.replace(/^run_/u, '').replaceAll('-', '')
  return RANDOM_DIGITS.test(digits) ? digits : hash('sha256', rootRunId).slice(0, TRACE_ID_DIGITS)
}

/**
 * Returns the id of a span. It follows from the events of the span, so that all processes that execute runs of a
 * tree agree on it without exchanging it.
 */
function spanIdOf(...identity: readonly (string | number)[]): string {
  return hash('sha256', identity.join(':')).slice(0, SPAN_ID_DIGITS)
}

export function runSpanId(runId: string): string {
  return spanIdOf('run', runId)
}

export function turnSpanId(runId: string, turn: number): string {
  return spanIdOf('turn', runId, turn)
}

/** Returns the id of the span of a model call. `seq` is that of the first usage event of the call. */
export function chatSpanId(runId: string, seq: number): string {
  return spanIdOf('chat', runId, seq)
}

export function callSpanId(runId: string, callId: string): string {
  return spanIdOf('call', runId, callId)
}

export function queueSpanId(runId: string, callId: string): string {
  return spanIdOf('queue', runId, callId)
}

export function approvalSpanId(approvalId: string): string {
  return spanIdOf('approval', approvalId)
}
