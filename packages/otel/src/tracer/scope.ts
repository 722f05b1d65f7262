import type { HrTime } from '@opentelemetry/api'

/** Name of the instrumentation scope of spans, metrics and log records. */
export const SCOPE = '@troupe/otel'

/** Delay in ms before a batch is sent. */
export const SEND_DELAY_MS = 1000

/** Converts a wall time in ms. The SDK takes small numbers for times since the start of the process. */
export function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)]
}
