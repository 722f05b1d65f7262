import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  TracerProvider,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Resource } from '@opentelemetry/resources'
import type { Clock } from '@troupe/schema'
import type { SpanRecord } from '../reduce/open-span.ts'
import { SCOPE, SEND_DELAY_MS, toHrTime } from './scope.ts'
import { watchExporter, type Delivery } from './delivery.ts'
import { settlesInTime } from './max-wait.ts'

/** Number of spans that wait to be sent. Further ones are lost. */
const MAX_WAITING = 16_384

/** Passes spans with ids of their own to an exporter. */
export interface SpanWriter {
  write(record: SpanRecord, traceId: string): void
  /** Resolves when all spans are sent, or the collector has rejected them. */
  flush(): Promise<void>
  /** Flushes for one second at most, and not while the collector is not available. Never rejects. */
  sendNow(): Promise<void>
  shutdown(): Promise<void>
}

/** Creates a writer that sends spans in batches. Nothing is registered globally. */
export function createSpanWriter(
  exporter: SpanExporter,
  parts: {
    readonly resource: Resource
    readonly maxValueLength: number
    readonly delivery: Delivery
    readonly clock: Pick<Clock, 'after'>
  },
): SpanWriter {
  const { delivery, maxValueLength, resource, clock } = parts
  const ids = new FixedIds()
  const provider = new TracerProvider({
    resource,
    idGenerator: ids,
    // spans of a trace that is not sampled are not written
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: maxValueLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watchExporter(exporter, (spans, result) => delivery.settle(spans.length, result)),
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: SEND_DELAY_MS,
      }),
    ],
  })
  const tracer = provider.getTracer(SCOPE)

  async function flush(): Promise<void> {
    await provider.forceFlush()
    // batches that were being sent already
    await exporter.forceFlush?.()
  }

  return {
    write(record, traceId) {
      if (delivery.accept(MAX_WAITING)) writeSpan(record, { tracer, ids, traceId })
    },
    flush,
    async sendNow() {
      if (delivery.isAvailable && !(await settlesInTime(flush(), clock))) delivery.reportDelay()
    },
    shutdown: () => provider.shutdown(),
  }
}

/** Returns the ids that were set last. Starting a span is synchronous, so no other span can use them. */
class FixedIds implements IdGenerator {
  traceId = ''
  spanId = ''

  generateTraceId(): string {
    return this.traceId
  }

  generateSpanId(): string {
    return this.spanId
  }
}

function writeSpan(
  record: SpanRecord,
  { tracer, ids, traceId }: { readonly tracer: Tracer; readonly ids: FixedIds; readonly traceId: string },
): void {
  const { spanId, parentId, name, isClient, start, end, attributes, events, failure, followsId } = record
  ids.traceId = traceId
  ids.spanId = spanId
  const links =
    followsId === undefined ? [] : [{ context: sampledContext(traceId, followsId), attributes: FOLLOWS }]
  const span = tracer.startSpan(
    name,
    { kind: isClient ? SpanKind.CLIENT : SpanKind.INTERNAL, startTime: toHrTime(start), attributes, links },
    parentId === undefined ? ROOT_CONTEXT : parentContext(traceId, parentId),
  )
  for (const event of events) span.addEvent(event.name, event.attributes, toHrTime(event.time))
  if (failure !== undefined)
    span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(failure.message === '' ? {} : { message: failure.message }),
    })
  span.end(toHrTime(end))
}

const FOLLOWS = { 'troupe.link': 'resumed_after' }

function parentContext(traceId: string, spanId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, sampledContext(traceId, spanId))
}

/** Returns the context of a span that is sent. */
export function sampledContext(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED }
}
