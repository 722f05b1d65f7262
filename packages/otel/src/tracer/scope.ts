/** Name of the instrumentation scope of spans, metrics and log records. */
export const SCOPE = '@troupe/otel'

/** Delay in ms before a batch is sent. */
export const SEND_DELAY_MS = 1000
