import type { Attributes } from '@opentelemetry/api'
import { errorMessage, type Clock } from '@troupe/schema'
import type { TraceSettings } from '@troupe/schema/ports'
import { traceEvents, type EventTracer, type SignalOptions } from '../tracer/trace-events.ts'
import { createConnections, type Connections } from './connections.ts'
import {
  isDisabled,
  readResource,
  readSampler,
  readSignal,
  readValueLength,
  type Signal,
  type Variables,
} from './read-settings.ts'

/** Options of {@link openOtlpTracer}. */
export interface OtlpTracerOptions extends TraceSettings {
  /** The environment with the standard `OTEL_` variables. */
  readonly env: Variables
  /** Attributes of the process. Those of the environment replace them. */
  readonly resource?: Attributes
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'after'>
  /** Called with settings that cannot be used, and when something cannot be sent. */
  onWarning?(message: string): void
}

/**
 * Creates a tracer that sends spans, metrics and log records over OTLP, with HTTP and JSON, as the standard
 * variables of OpenTelemetry say. Resolves with `undefined` if they switch on nothing.
 */
export async function openOtlpTracer(options: OtlpTracerOptions): Promise<EventTracer | undefined> {
  const { env, onWarning = () => undefined, ...rest } = options
  if (isDisabled(env)) return undefined
  const connections: Connections[] = []
  const open = async <Exporter>(
    signal: Signal,
    load: () => Promise<new (config: ExporterConfig) => Exporter>,
  ): Promise<SignalOptions<Exporter> | undefined> => {
    const settings = readSignal(signal, env, onWarning)
    if (settings === undefined) return undefined
    const { url, headers, timeout, isCompressed, tls } = settings
    try {
      const connection = createConnections(tls)
      connections.push(connection)
      const OtlpExporter = await load()
      const exporter = new OtlpExporter({
        url,
        headers: { ...headers },
        timeoutMillis: timeout,
        compression: (isCompressed ? 'gzip' : 'none') as never,
        httpAgentOptions: connection.agentOf,
      })
      return { exporter, address: url }
    } catch (thrown) {
      onWarning(`No ${signal.toLowerCase()} are sent: ${errorMessage(thrown)}`)
      return undefined
    }
  }
  const [spans, metrics, logs] = await Promise.all([
    open('TRACES', async () => (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter),
    open(
      'METRICS',
      async () => (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter,
    ),
    open('LOGS', async () => (await import('@opentelemetry/exporter-logs-otlp-http')).OTLPLogExporter),
  ])
  if (spans === undefined && metrics === undefined && logs === undefined) return undefined
  const sampler = readSampler(env, onWarning)
  const maxValueLength = readValueLength(env)
  return traceEvents({
    ...rest,
    onWarning,
    resource: { ...options.resource, ...readResource(env) },
    ...(sampler === undefined ? {} : { sampler }),
    ...(maxValueLength === undefined ? {} : { maxValueLength }),
    ...(spans === undefined ? {} : { spans }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(logs === undefined ? {} : { logs }),
    onShutdown: () => {
      for (const connection of connections) connection.close()
    },
  })
}

/** Options that the exporters of all signals have. */
interface ExporterConfig {
  readonly url: string
  readonly headers: Record<string, string>
  readonly timeoutMillis: number
  /** Typed by an enumeration of a package that exporters do not export. */
  readonly compression: never
  readonly httpAgentOptions: Connections['agentOf']
}
