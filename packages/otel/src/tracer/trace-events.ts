import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type Attributes } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { LogRecordExporter } from '@opentelemetry/sdk-logs'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Clock, RunEvent } from '@troupe/schema'
import type { RunTracer, TraceSettings } from '@troupe/schema/ports'
import { createExecutionTraces } from './execution-traces.ts'
import { Delivery } from './delivery.ts'
import { createLogWriter } from './log-writer.ts'
import { createRunMeter } from './run-meter.ts'
import { MAX_WAIT_MS, settlesInTime } from './max-wait.ts'
import { createSpanWriter } from './span-writer.ts'

/** An exporter of one signal. */
export interface SignalOptions<Exporter> {
  readonly exporter: Exporter
  /** Address that it sends to, for messages. */
  readonly address?: string
}

/** Options of {@link traceEvents}. A signal without an exporter is off. */
export interface TraceOptions extends TraceSettings {
  readonly spans?: SignalOptions<SpanExporter>
  readonly metrics?: SignalOptions<PushMetricExporter>
  readonly logs?: SignalOptions<LogRecordExporter>
  /** Attributes of the process. Default: `service.name` is `troupe`. */
  readonly resource?: Attributes
  /** Decides by trace id which run trees have spans. Default: all, unless the caller of a run is not sampled. */
  readonly sampler?: Sampler
  /** Longest text in an attribute, in characters. Longer ones are cut off. Default: 8192. */
  readonly maxValueLength?: number
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'after'>
  /** Called when something cannot be sent, once for each signal. */
  onWarning?(message: string): void
  /** Called at the end of the shutdown, to release what the exporters use. */
  onShutdown?(): void
}

/** Traces runs. Pass it to a host as `tracer`, or its `onEvent` to runs. */
export interface EventTracer extends RunTracer {
  /** Receives the events of any number of run trees, each from its first event. */
  readonly onEvent: (event: RunEvent) => void
  /** Number of spans, log records and metric reports that were lost. */
  readonly lost: number
  /** Sends everything that is waiting. Never rejects. */
  flush(): Promise<void>
}

const MAX_VALUE_LENGTH = 8192
const DEFAULT_SAMPLER = new ParentBasedSampler({ root: new AlwaysOnSampler() })

/**
 * Creates a tracer that reduces run events to spans, metrics and log records in the GenAI conventions of
 * OpenTelemetry. Registers nothing globally.
 */
export function traceEvents(options: TraceOptions): EventTracer {
  const { sampler = DEFAULT_SAMPLER, clock = SYSTEM_CLOCK, maxValueLength = MAX_VALUE_LENGTH } = options
  const { content = false, turns = true, onWarning = ignore } = options
  const resource = defaultResource().merge(
    resourceFromAttributes({ 'service.name': 'troupe', ...options.resource }),
  )
  const deliveries: Delivery[] = []
  const open = <Exporter, Writer>(
    item: string,
    signal: SignalOptions<Exporter> | undefined,
    create: (exporter: Exporter, delivery: Delivery) => Writer,
  ): Writer | undefined => {
    if (signal === undefined) return undefined
    const delivery = new Delivery({ item, target: signal.address ?? 'the exporter', onWarning })
    deliveries.push(delivery)
    return create(signal.exporter, delivery)
  }
  const spans = open('span', options.spans, (exporter, delivery) =>
    createSpanWriter(exporter, { resource, maxValueLength, delivery, clock }),
  )
  const logs = open('log record', options.logs, (exporter, delivery) =>
    createLogWriter(exporter, { resource, maxValueLength, delivery }),
  )
  const meter = open('metric report', options.metrics, (exporter, delivery) =>
    createRunMeter(exporter, { resource, delivery }),
  )
  const writers = [spans, logs, meter].filter((writer) => writer !== undefined)
  const traces = createExecutionTraces({
    spans,
    logs,
    meter,
    settings: { content, turns },
    isSampled: (traceId, caller) => isSampled(sampler, traceId, caller),
  })
  let stopping: Promise<void> | undefined

  async function stop(): Promise<void> {
    await settlesInTime(Promise.allSettled(writers.map((writer) => writer.shutdown())), clock)
    for (const delivery of deliveries) delivery.end(`no answer within ${MAX_WAIT_MS} ms`)
    options.onShutdown?.()
  }

  return {
    openTrace: traces.open,
    onEvent: traces.onEvent,
    get lost() {
      return deliveries.reduce((sum, { lost }) => sum + lost, 0)
    },
    async flush() {
      await Promise.allSettled(writers.map((writer) => writer.flush()))
    },
    shutdown: () => (stopping ??= stop()),
  }
}

/** Returns the decision of a sampler on a run tree. All processes that execute its runs decide alike. */
function isSampled(
  sampler: Sampler,
  traceId: string,
  caller: { readonly spanId: string; readonly isSampled: boolean } | undefined,
): boolean {
  const context =
    caller === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: caller.spanId,
          traceFlags: caller.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
          isRemote: true,
        })
  const { decision } = sampler.shouldSample(context, traceId, 'invoke_agent', SpanKind.INTERNAL, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

const SYSTEM_CLOCK: Pick<Clock, 'after'> = {
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
}

function ignore(): void {
  // without a listener, warnings have no effect
}
