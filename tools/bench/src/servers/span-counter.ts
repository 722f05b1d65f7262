// A collector in a process of its own, which counts the spans that it gets as OTLP in JSON and responds with the number to
// a GET request. Sends its port to the process that started it, and ends with it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface TraceRequest {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[]
  }[]
}

let spans = 0
const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.end(String(spans))
    return
  }
  const { resourceSpans = [] } = JSON.parse(await text(request)) as TraceRequest
  for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans += scope.spans.length
  response.setHeader('content-type', 'application/json')
  response.end('{}')
}
