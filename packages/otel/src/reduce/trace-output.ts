import type { Attributes } from '@opentelemetry/api'
import type { MetricKey } from '../conventions/metrics.ts'
import type { SpanRecord } from './open-span.ts'

/** A log record of a run. */
export interface RunLogRecord {
  readonly name: string
  readonly time: number
  /** False for a record that is no warning. */
  readonly isWarning: boolean
  readonly body: string
  readonly attributes: Attributes
  readonly spanId: string
}

/** Receives what a reducer derives from the events of an execution. */
export interface TraceOutput {
  span(record: SpanRecord): void
  log(record: RunLogRecord): void
  measure(metric: MetricKey, value: number, attributes: Attributes): void
}
