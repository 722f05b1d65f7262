import type { Failure, RunEvent } from '@troupe/schema'
import { reduceByRun } from './reduce-by-run.ts'

/** A period in ms since 1970. Without `to`, it has not ended. */
interface TimeSpan {
  readonly from: number
  readonly to?: number
}

/** A model call. */
interface ModelSpan extends TimeSpan {
  readonly turn: number
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: number | null
  readonly error?: Failure
}

/** A tool call: requested at `from`, executed since `startedAt`. */
interface ToolCallSpan extends TimeSpan {
  readonly callId: string
  readonly startedAt?: number
}

/** The time periods of one run. */
export interface RunSpans {
  readonly models: readonly ModelSpan[]
  readonly calls: readonly ToolCallSpan[]
  /** Periods of waiting for a person. */
  readonly waits: readonly (TimeSpan & { readonly approvalId: string })[]
  /** Start of the current turn, until its model has responded. */
  readonly thinkingSince?: number
}

const NONE: RunSpans = Object.freeze({ models: [], calls: [], waits: [] })

/** The time periods of all runs, by run id. */
export type Spans = ReadonlyMap<string, RunSpans>

/** Returns the periods after more events. Pure. */
export function reduceSpans(spans: Spans, events: readonly RunEvent[]): Spans {
  return reduceByRun(spans, events, { none: NONE, reduce: reduceRunSpans })
}

function reduceRunSpans(run: RunSpans, event: RunEvent): RunSpans {
  switch (event.type) {
    case 'turn-start':
      return { ...run, thinkingSince: event.time }
    case 'usage':
      return { ...withoutThinking(run), models: [...run.models, modelSpan(event)] }
    case 'tool-call':
      return { ...run, calls: [...run.calls, { callId: event.callId ?? '', from: event.time }] }
    case 'tool-start':
      return changeCall(run, event.callId, (call) => ({ ...call, startedAt: call.startedAt ?? event.time }))
    case 'tool-result':
      return changeCall(run, event.callId, (call) => ({ ...call, to: event.time }))
    case 'approval-request':
      return { ...run, waits: [...run.waits, { approvalId: event.approvalId, from: event.time }] }
    case 'approval-result':
      return { ...run, waits: run.waits.map((wait) => closeWait(wait, event)) }
    case 'run-end':
      return withoutThinking(run)
    default:
      return run
  }
}

function modelSpan(event: Extract<RunEvent, { readonly type: 'usage' }>): ModelSpan {
  const { time, latencyMs, turn, model, tokens, cost, error } = event
  return {
    from: time - latencyMs,
    to: time,
    turn,
    model,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cost,
    ...(error === undefined ? {} : { error }),
  }
}

function changeCall(
  run: RunSpans,
  callId: string | undefined,
  change: (call: ToolCallSpan) => ToolCallSpan,
): RunSpans {
  const index = run.calls.findLastIndex((call) => call.callId === callId)
  const call = run.calls[index]
  return call === undefined ? run : { ...run, calls: run.calls.with(index, change(call)) }
}

function closeWait<Wait extends TimeSpan & { readonly approvalId: string }>(
  wait: Wait,
  { approvalId, time }: { readonly approvalId: string; readonly time: number },
): Wait {
  return wait.approvalId === approvalId && wait.to === undefined ? { ...wait, to: time } : wait
}

function withoutThinking(run: RunSpans): RunSpans {
  const { thinkingSince: _, ...rest } = run
  return rest
}
