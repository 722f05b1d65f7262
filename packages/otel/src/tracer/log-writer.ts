import { ROOT_CONTEXT, SeverityNumber, trace, TraceFlags } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs'
import type { RunLogRecord } from '../reduce/trace-output.ts'
import { watchExporter, type Delivery } from './delivery.ts'
import { SCOPE, SEND_DELAY_MS, toHrTime } from './scope.ts'

/** Number of log records that wait to be sent. Further ones are lost. */
const MAX_WAITING = 2048

/** Passes log records to an exporter. */
export interface LogWriter {
  write(record: RunLogRecord, trace: { readonly traceId: string; readonly isSampled: boolean }): void
  flush(): Promise<void>
  shutdown(): Promise<void>
}

/** Creates a writer that sends log records in batches. Nothing is registered globally. */
export function createLogWriter(
  exporter: LogRecordExporter,
  parts: { readonly resource: Resource; readonly maxValueLength: number; readonly delivery: Delivery },
): LogWriter {
  const { delivery, maxValueLength, resource } = parts
  const provider = new LoggerProvider({
    resource,
    logRecordLimits: { attributeValueLengthLimit: maxValueLength },
    processors: [
      new BatchLogRecordProcessor({
        exporter: watchExporter(exporter, (records, result) => delivery.settle(records.length, result)),
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: SEND_DELAY_MS,
      }),
    ],
  })
  const logger = provider.getLogger(SCOPE)
  return {
    write({ name, time, isWarning, body, attributes, spanId }, { traceId, isSampled }) {
      if (!delivery.accept(MAX_WAITING)) return
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
      logger.emit({
        eventName: name,
        timestamp: toHrTime(time),
        severityNumber: isWarning ? SeverityNumber.WARN : SeverityNumber.INFO,
        severityText: isWarning ? 'WARN' : 'INFO',
        body: body.slice(0, maxValueLength),
        attributes,
        context: trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags }),
      })
    },
    flush: () => provider.forceFlush(),
    shutdown: () => provider.shutdown(),
  }
}
