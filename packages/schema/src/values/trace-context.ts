/** Context of a trace, as W3C Trace Context writes it in the headers `traceparent` and `tracestate`. */
export interface TraceContext {
  /** Version 00, the trace id, the id of the parent span, and flags, in hexadecimal digits. */
  readonly traceparent: string
  readonly tracestate?: string
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/u
const TRACESTATE = /^[\x20-\x7e]{1,512}$/u
const LONGEST_TRACEPARENT = 200

/**
 * Reads a trace context that a caller sent. Returns `undefined` if there is none or it is invalid. An invalid
 * `tracestate` is left out.
 */
export function readTraceContext(
  fields: TraceContext | { readonly [name: string]: unknown },
): TraceContext | undefined {
  const { traceparent, tracestate } = fields
  if (typeof traceparent !== 'string' || traceparent.length > LONGEST_TRACEPARENT) return undefined
  const [, version, ids = '', more] = TRACEPARENT.exec(traceparent.trim()) ?? []
  // only later versions may have more fields
  if (version === undefined || (version === '00' && more !== undefined)) return undefined
  return {
    traceparent: `00-${ids}`,
    ...(typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { tracestate } : {}),
  }
}
