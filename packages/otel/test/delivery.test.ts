import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InMemorySpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace'
import { fakeClock, leakCheck, startOtlpReceiver } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openOtlpTracer, traceEvents } from '../src/index.ts'
import { emptyRun } from './support/empty-run.ts'

/** Starts a server that handles requests so, until the test ends. Returns its address. */
async function startServer(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns the address of a port on which no server listens. */
async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

describe('a collector that does not answer', () => {
  it.each([
    ['a port that refuses connections', closedPort],
    ['a server that never responds', () => startServer(() => undefined)],
  ])(
    '%s ends the shutdown after one second, with one warning that counts the spans',
    async (_what, start) => {
      const url = await start()
      const leaks = leakCheck()
      const clock = fakeClock()
      const warnings: string[] = []
      const tracer = await openOtlpTracer({
        env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` },
        clock,
        onWarning: (message) => warnings.push(message),
      })
      for (const event of emptyRun({ turns: 2 })) tracer?.onEvent(event)
      const stopped = tracer?.shutdown()
      await clock.advance(999)
      expect(warnings).toEqual([])
      await clock.advance(1)
      await stopped
      expect(warnings).toEqual([`3 spans were not sent to ${url}/v1/traces: no answer within 1000 ms.`])
      expect(tracer?.lost).toBe(3)
      await leaks.assertClean()
    },
  )

  it('a collector that rejects requests causes one warning with its status, and all losses are counted', async () => {
    const url = await startServer((_request, response) => response.writeHead(404).end())
    const warnings: string[] = []
    const tracer = await openOtlpTracer({
      env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` },
      onWarning: (message) => warnings.push(message),
    })
    for (let count = 0; count < 2; count += 1) {
      for (const event of emptyRun({ turns: 1, run: count })) tracer?.onEvent(event)
      await tracer?.flush()
    }
    await tracer?.shutdown()
    expect(warnings).toEqual([`2 spans were not sent to ${url}/v1/traces: HTTP 404 Not Found.`])
    expect(tracer?.lost).toBe(4)
  })

  it('spans beyond a full queue are counted as lost, with one warning', () => {
    const warnings: string[] = []
    const stuck: SpanExporter = { export: () => undefined, shutdown: () => Promise.resolve() }
    const tracer = traceEvents({
      spans: { exporter: stuck, address: 'http://collector' },
      onWarning: (message) => warnings.push(message),
    })
    for (const event of emptyRun({ turns: 16_390 })) tracer.onEvent(event)
    expect(warnings).toEqual(['1 span was not sent to http://collector: 16384 were waiting.'])
    expect(tracer.lost).toBe(7)
  })
})

describe('what is sent', () => {
  it('everything that is waiting is sent at the shutdown, compressed and with the headers of the environment', async () => {
    const receiver = await startOtlpReceiver()
    onTestFinished(() => receiver.stop())
    const tracer = await openOtlpTracer({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SERVICE_NAME: 'counting-house',
      },
    })
    for (const event of emptyRun({ turns: 1 })) tracer?.onEvent(event)
    await tracer?.shutdown()
    expect(receiver.faults).toEqual([])
    expect(receiver.spans.map(({ name }) => name)).toEqual(['turn 0', 'invoke_agent Agent'])
    expect(receiver.spans[0]?.resource['service.name']).toBe('counting-house')
    expect(receiver.metrics.map(({ name }) => name)).toEqual(['gen_ai.invoke_agent.duration'])
    for (const headers of receiver.headers)
      expect(headers).toMatchObject({ 'x-team': 'blue', 'content-encoding': 'gzip' })
  })

  it.each([
    ['OTEL_SDK_DISABLED is true', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' }],
    ['the environment names no endpoint', {}],
  ])('there is no tracer if %s', async (_what, env) => {
    expect(await openOtlpTracer({ env })).toBeUndefined()
  })

  it('a certificate that cannot be read switches the signal off with a warning', async () => {
    const warnings: string[] = []
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x',
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such.pem',
    }
    expect(await openOtlpTracer({ env, onWarning: (message) => warnings.push(message) })).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('/no/such.pem')])
  })

  it('long attributes are cut off', async () => {
    const exporter = new InMemorySpanExporter()
    const tracer = traceEvents({ spans: { exporter }, content: true, maxValueLength: 50 })
    for (const event of emptyRun({ turns: 0, input: 'x'.repeat(1000) })) tracer.onEvent(event)
    await tracer.flush()
    expect(exporter.getFinishedSpans()[0]?.attributes['gen_ai.input.messages']).toHaveLength(50)
  })
})
