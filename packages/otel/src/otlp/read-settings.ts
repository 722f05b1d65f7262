import type { Attributes } from '@opentelemetry/api'
import { parseKeyPairsIntoRecord } from '@opentelemetry/core'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TlsFiles } from './connections.ts'

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/** A signal of OTLP, as in the names of variables. */
export type Signal = 'TRACES' | 'METRICS' | 'LOGS'

/** The address and the options with which one signal is sent. */
export interface SignalSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** In ms. */
  readonly timeout: number
  readonly isCompressed: boolean
  readonly tls: TlsFiles
}

const TIMEOUT_MS = 10_000

/**
 * Reads the settings of a signal from the standard variables. Returns `undefined` if it is off, or not sent over
 * OTLP with HTTP; `warn` is then called with the reason.
 */
export function readSignal(
  signal: Signal,
  env: Variables,
  warn: (message: string) => void,
): SignalSettings | undefined {
  const read = (name: string): string | undefined =>
    valueOf(env, `OTEL_EXPORTER_OTLP_${signal}_${name}`) ?? valueOf(env, `OTEL_EXPORTER_OTLP_${name}`)
  const own = valueOf(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
  const general = valueOf(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const exporter = valueOf(env, `OTEL_${signal}_EXPORTER`) ?? 'otlp'
  if ((own ?? general) === undefined || exporter === 'none') return undefined
  const url = own ?? `${general?.replace(/\/+$/u, '')}/v1/${signal.toLowerCase()}`
  const off = (problem: string): undefined => {
    warn(`No ${signal.toLowerCase()} are sent: ${problem}`)
  }
  if (exporter !== 'otlp')
    return off(`OTEL_${signal}_EXPORTER is "${exporter}"; only \`otlp\` and \`none\` are supported.`)
  if (read('PROTOCOL') === 'grpc')
    return off(
      'gRPC is not supported. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, and the port for HTTP, often 4318.',
    )
  if (!/^https?:\/\//u.test(url) || !URL.canParse(url))
    return off(`the endpoint "${url}" is not an address that begins with http:// or https://.`)
  const timeout = Number(read('TIMEOUT'))
  return {
    url,
    headers: {
      ...parseKeyPairsIntoRecord(valueOf(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
      ...parseKeyPairsIntoRecord(valueOf(env, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`)),
    },
    timeout: timeout > 0 ? timeout : TIMEOUT_MS,
    isCompressed: read('COMPRESSION') === 'gzip',
    tls: { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') },
  }
}

/** Returns the attributes of the process: `OTEL_RESOURCE_ATTRIBUTES`, then `OTEL_SERVICE_NAME`. */
export function readResource(env: Variables): Attributes {
  const name = valueOf(env, 'OTEL_SERVICE_NAME')
  return {
    ...parseKeyPairsIntoRecord(valueOf(env, 'OTEL_RESOURCE_ATTRIBUTES')),
    ...(name === undefined ? {} : { 'service.name': name }),
  }
}

/** Creates the sampler of `OTEL_TRACES_SAMPLER`. Returns `undefined` for the default. */
export function readSampler(env: Variables, warn: (message: string) => void): Sampler | undefined {
  const name = valueOf(env, 'OTEL_TRACES_SAMPLER')
  if (name === undefined) return undefined
  const ratio = (): Sampler => new TraceIdRatioBasedSampler(readRatio(env, warn))
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return ratio()
    case 'parentbased_always_on':
      return undefined
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: ratio() })
    default:
      warn(`OTEL_TRACES_SAMPLER: "${name}" is not supported, so all runs are traced.`)
      return undefined
  }
}

function readRatio(env: Variables, warn: (message: string) => void): number {
  const text = valueOf(env, 'OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  warn(`OTEL_TRACES_SAMPLER_ARG: "${text}" is not a number from 0 to 1, so all runs are traced.`)
  return 1
}

/** Returns the limit for attributes of spans, or for all; `undefined` if there is none. */
export function readValueLength(env: Variables): number | undefined {
  const limit = Number(
    valueOf(env, 'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ??
      valueOf(env, 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'),
  )
  return Number.isInteger(limit) && limit > 0 ? limit : undefined
}

/** Returns true if all telemetry is switched off. */
export function isDisabled(env: Variables): boolean {
  return valueOf(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
}

/** Returns the value of a variable. An empty one counts as not set, as the specification requires. */
function valueOf(env: Variables, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}
