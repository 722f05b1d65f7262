export { openOtlpTracer, type OtlpTracerOptions } from './otlp/open-otlp-tracer.ts'
export {
  traceEvents,
  type EventTracer,
  type SignalOptions,
  type TraceOptions,
} from './tracer/trace-events.ts'
