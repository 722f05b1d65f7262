import type { RunEvent, TraceContext } from '@troupe/schema'
import type { RunTrace, TracedExecution, TraceSettings } from '@troupe/schema/ports'
import { callSpanId, traceIdOf } from '../ids/span-ids.ts'
import { ExecutionTrace } from '../reduce/execution-trace.ts'
import type { LogWriter } from './log-writer.ts'
import type { RunMeter } from './run-meter.ts'
import type { SpanWriter } from './span-writer.ts'

/** The span of a caller that a run tree belongs to. */
export interface CallerSpan {
  readonly spanId: string
  readonly isSampled: boolean
}

interface ExecutionTracesParts {
  readonly spans: SpanWriter | undefined
  readonly logs: LogWriter | undefined
  readonly meter: RunMeter | undefined
  /** Settings for run trees that are traced by their events alone. */
  readonly settings: TraceSettings
  isSampled(traceId: string, caller: CallerSpan | undefined): boolean
}

/** The traces of all executions in a process. */
interface ExecutionTraces {
  open(execution: TracedExecution): RunTrace
  /** Traces run trees by their events alone. */
  onEvent(event: RunEvent): void
}

/** Creates the traces of a process. */
export function createExecutionTraces(parts: ExecutionTracesParts): ExecutionTraces {
  const byRoot = new Map<string, RunTrace>()

  function open(execution: TracedExecution): RunTrace {
    const { traceId, caller, tracestate } = identityOf(execution.request)
    const isSampled = parts.isSampled(traceId, caller)
    const { spans, logs, meter } = parts
    const trace = new ExecutionTrace(execution, {
      callerSpanId: caller?.spanId,
      output: {
        span: (record) => {
          if (isSampled) spans?.write(record, traceId)
        },
        log: (record) => logs?.write(record, { traceId, isSampled }),
        measure: (...measurement) => meter?.measure(...measurement),
      },
    })
    return {
      onEvent: (event) => trace.read(event),
      contextOfCall: ({ runId, callId }) => ({
        traceparent: `00-${traceId}-${callSpanId(runId, callId)}-${isSampled ? '01' : '00'}`,
        ...(tracestate === undefined ? {} : { tracestate }),
      }),
      close: () => trace.close(),
      flush: async () => spans?.sendNow(),
    }
  }

  return {
    open,
    onEvent(event) {
      const { rootRunId, runId, type } = event
      let trace = byRoot.get(rootRunId)
      if (trace === undefined || (type === 'run-start' && runId === rootRunId)) {
        // the beginning is missing
        if (type !== 'run-start') return
        trace = open({ ...parts.settings, request: { runId, rootRunId } })
        byRoot.set(rootRunId, trace)
      }
      trace.onEvent(event)
      if (type === 'run-end' && runId === rootRunId) byRoot.delete(rootRunId)
    },
  }
}

/** Returns the trace id of a run tree, and the span of its caller. */
function identityOf({ rootRunId, traceContext }: TracedExecution['request']): {
  readonly traceId: string
  readonly caller: CallerSpan | undefined
  readonly tracestate: TraceContext['tracestate']
} {
  const [, traceId, spanId, flags] = traceContext?.traceparent.split('-') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined)
    return { traceId: traceIdOf(rootRunId), caller: undefined, tracestate: undefined }
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, caller: { spanId, isSampled }, tracestate: traceContext?.tracestate }
}
