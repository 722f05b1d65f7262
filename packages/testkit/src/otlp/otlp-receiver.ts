import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import type { AddressInfo } from 'node:net'
import {
  parseLogs,
  parseMetrics,
  parseSpans,
  type ReceivedLog,
  type ReceivedMetric,
  type ReceivedSpan,
} from './parse-otlp.ts'

/** A collector on the loopback interface that accepts only valid OTLP/JSON. */
export interface OtlpReceiver {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  /** Spans in the order of their arrival. */
  readonly spans: readonly ReceivedSpan[]
  readonly logs: readonly ReceivedLog[]
  /** Values of the last report of each process; later reports of a process replace earlier ones. */
  readonly metrics: readonly ReceivedMetric[]
  /** Bodies of all requests, as text. */
  readonly bodies: readonly string[]
  /** Headers of all requests. */
  readonly headers: readonly IncomingMessage['headers'][]
  /** Errors of rejected requests. Empty if the sender behaves correctly. */
  readonly faults: readonly string[]
  stop(): Promise<void>
}

/** Starts a receiver. It answers requests with an error if they are not valid OTLP/JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const logs: ReceivedLog[] = []
  const metrics = new Map<string, ReceivedMetric>()
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const faults: string[] = []

  async function receive(request: IncomingMessage): Promise<void> {
    headers.push(request.headers)
    if (request.method !== 'POST') throw new Error(`${request.method} is not POST`)
    if (request.headers['content-type'] !== 'application/json')
      throw new Error(`the content type is ${request.headers['content-type']}`)
    const isCompressed = request.headers['content-encoding'] === 'gzip'
    const body = await text(isCompressed ? request.pipe(createGunzip()) : request)
    bodies.push(body)
    const message: unknown = JSON.parse(body)
    if (request.url === '/v1/traces') spans.push(...parseSpans(message))
    else if (request.url === '/v1/logs') logs.push(...parseLogs(message))
    else if (request.url === '/v1/metrics')
      for (const metric of parseMetrics(message)) metrics.set(keyOf(metric), metric)
    else throw new Error(`the path is ${request.url}`)
  }

  const server = createServer((request, response) => {
    receive(request).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (thrown: unknown) => {
        faults.push(String(thrown))
        response.writeHead(400).end()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs,
    get metrics() {
      return [...metrics.values()]
    },
    bodies,
    headers,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function keyOf({ name, attributes, resource }: ReceivedMetric): string {
  return JSON.stringify([resource['service.instance.id'], name, attributes])
}
