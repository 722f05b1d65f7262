import type { RunRequest } from '../agents/run.ts'
import type { RunListener } from '../events/event.ts'
import type { TraceContext } from '../values/trace-context.ts'

/** Traces the runs of a host, as `@troupe/otel` does. */
export interface RunTracer {
  /** Starts to trace an execution: a run, and the runs below it in this process. */
  openTrace(execution: TracedExecution): RunTrace
  /** Sends everything that is left. Takes about one second at most. Never rejects. */
  shutdown(): Promise<void>
}

/** An execution to trace. */
export interface TracedExecution extends TraceSettings {
  readonly request: Pick<RunRequest, 'runId' | 'rootRunId' | 'site' | 'traceContext'>
  /** The last event from before the run was resumed; `undefined` for a new run. */
  readonly resumedAfter?: { readonly seq: number; readonly time: number }
}

/** Settings of traces. */
export interface TraceSettings {
  /** True to add inputs, outputs, arguments, results and messages. Default: false. */
  readonly content?: boolean
  /** True to add a span for each turn. Default: true. */
  readonly turns?: boolean
}

/** The trace of one execution. */
export interface RunTrace {
  /** Receives the durable events of the execution. Those from before a resume come first. */
  readonly onEvent: RunListener
  /** Returns the context of a tool call, for the server that executes it. */
  contextOfCall(call: { readonly runId: string; readonly callId: string }): TraceContext
  /** Ends the trace of an execution that has ended, or that is resumed later. */
  close(): void
  /** Resolves when everything so far is sent, or at once while the collector is not available. Never rejects. */
  flush(): Promise<void>
}
