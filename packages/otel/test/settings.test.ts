import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import { SamplingDecision } from '@opentelemetry/sdk-trace'
import { describe, expect, it } from 'vitest'
import {
  readResource,
  readSampler,
  readSignal,
  readValueLength,
  type Variables,
} from '../src/otlp/read-settings.ts'

function read(env: Variables): {
  readonly settings: ReturnType<typeof readSignal>
  readonly warnings: readonly string[]
} {
  const warnings: string[] = []
  const settings = readSignal('TRACES', env, (message) => warnings.push(message))
  return { settings, warnings }
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

describe('the settings of a signal', () => {
  it('an endpoint for all signals gets the path of the signal', () => {
    const { settings } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://api.example.com/otel/' })
    expect(settings?.url).toBe('https://api.example.com/otel/v1/traces')
  })

  it('an endpoint for one signal is used as it is, and switches on no other signal', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/custom' }
    expect(read(env).settings?.url).toBe('http://127.0.0.1:4318/custom')
    expect(readSignal('METRICS', env, () => undefined)).toBeUndefined()
  })

  it('variables of one signal precede those of all signals', () => {
    const { settings } = read({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a,x-other=b%20c',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=own',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    })
    expect(settings).toEqual({
      url: 'http://127.0.0.1:4318/v1/traces',
      headers: { 'x-team': 'own', 'x-other': 'b c' },
      timeout: 2000,
      isCompressed: true,
      tls: { ca: '/ca.pem', cert: undefined, key: undefined },
    })
  })

  it.each([
    ['no endpoint', {}],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['the exporter `none`', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ])('a signal with %s is off, without a warning', (_what, env) => {
    expect(read(env)).toEqual({ settings: undefined, warnings: [] })
  })

  it.each([
    ['gRPC', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL=http/json'],
    ['another exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"'],
    ['an address without http://', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, 'http://'],
  ])('a signal with %s is off, and the warning names the fix', (_what, env, text) => {
    expect(read(env)).toEqual({ settings: undefined, warnings: [expect.stringContaining(text)] })
  })
})

describe('the other settings', () => {
  it('the name of the service precedes the one among the resource attributes', () => {
    expect(
      readResource({
        OTEL_SERVICE_NAME: 'desk-team',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test',
      }),
    ).toEqual({ 'service.name': 'desk-team', 'deployment.environment.name': 'test' })
  })

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, 100],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }, 50],
  ])('the sampler %j selects the expected share of 100 evenly spread traces', (env, expected) => {
    const sampler = readSampler(env, () => undefined)
    const sampled = Array.from({ length: 100 }, (_, index) => {
      const digits = Math.floor(((index + 0.5) / 100) * 2 ** 32)
        .toString(16)
        .padStart(8, '0')
      const traceId = `${digits}${'0'.repeat(24)}`
      return sampler?.shouldSample(ROOT_CONTEXT, traceId, 'invoke_agent', SpanKind.INTERNAL, {}, []).decision
    }).filter((decision) => decision === SamplingDecision.RECORD_AND_SAMPLED)
    expect(sampled).toHaveLength(expected)
  })

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'xray' }, '"xray"'],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, '"7"'],
  ])('a sampler that cannot be used (%j) traces all runs and gives a warning', (env, text) => {
    const warnings: string[] = []
    readSampler(env, (message) => warnings.push(message))
    expect(warnings).toEqual([expect.stringContaining(text)])
  })

  it('the limit of attributes is that of spans, or else that of all signals', () => {
    const both = { OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '100', OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '50' }
    expect(readValueLength(both)).toBe(50)
    expect(readValueLength({ OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '100' })).toBe(100)
    expect(readValueLength({ OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: 'x' })).toBeUndefined()
  })
})
