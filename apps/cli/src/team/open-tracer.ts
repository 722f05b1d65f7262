import { randomUUID } from 'node:crypto'
import type { RunTracer } from '@troupe/schema/ports'
import { printWarning } from '../run-store/open-workers.ts'
import type { CommandContext } from '../terminal/context.ts'

/** Variables that switch on telemetry. */
const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
]

/** Returns the tracer of the program; `undefined` unless the environment names an endpoint. */
export async function openTracer(context: CommandContext): Promise<RunTracer | undefined> {
  const { env, clock } = context
  if (ENDPOINTS.every((name) => (env[name] ?? '') === '')) return undefined
  const { openOtlpTracer } = await import('@troupe/otel')
  return openOtlpTracer({
    env,
    clock,
    // the metrics of several processes must not be mixed
    resource: { 'service.instance.id': randomUUID() },
    onWarning: (message) => printWarning(new Error(message), context),
  })
}
