import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait, setImmediate as nextTick } from 'node:timers/promises'
import { errorMessage, isJsonObject } from '@troupe/schema'
import type {
  FakeAnswer,
  FakeAnswers,
  FakeProvider,
  FakeProviderOptions,
  RecordedRequest,
} from './fake-provider.ts'
import { requestTokens, type ProviderApi, type Refusal, type Reply } from './provider-api.ts'
import { once } from 'node:events'

/** Starts a server for a provider API on 127.0.0.1 and a free port. */
export async function startFakeServer(api: ProviderApi, options: FakeProviderOptions): Promise<FakeProvider> {
  const requests: RecordedRequest[] = []
  const closing = new AbortController()
  let inFlight = 0
  let maxInFlight = 0
  let answeredRequests = 0

  function nextAnswer(request: RecordedRequest): FakeAnswer | Promise<FakeAnswer> | undefined {
    if (isList(options.answers)) return options.answers[answeredRequests++]
    return options.answers(request)
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    maxInFlight = Math.max(maxInFlight, (inFlight += 1))
    const index = requests.push(openRequest(incoming, requests.length)) - 1
    const amend = (change: Partial<RecordedRequest>): RecordedRequest =>
      (requests[index] = { ...(requests[index] as RecordedRequest), ...change })
    response.once('close', () => {
      inFlight -= 1
      const isAbandoned = !response.writableFinished && !closing.signal.aborted && !wasClosedEarly(response)
      amend({ endedAt: performance.now(), isAbandoned })
    })
    const text = await readText(incoming)
    const request = amend({ text, body: parseJson(text) })
    const outcome = await answerRequest(request)
    if ('status' in outcome) return sendJson(response, outcome.status, api.errorBody(outcome))
    await send(response, outcome)
  }

  async function answerRequest(
    request: RecordedRequest,
  ): Promise<
    Refusal | { readonly reply: Reply | Refusal; readonly answer: FakeAnswer; readonly path: string }
  > {
    const path = request.path.slice(api.basePath.length)
    const route = api.route(path)
    if (route === undefined || request.method !== 'POST' || !request.path.startsWith(`${api.basePath}/`)) {
      return { status: 404, message: `Unknown address ${request.method} ${request.path}` }
    }
    const refused = api.authorise(request, options)
    if (refused !== undefined) return refused
    const { body } = request
    if (!isJsonObject(body)) return { status: 400, message: 'The body of the request is not a JSON object.' }
    const problem = route.check(body, options)
    if (problem !== undefined) return problem
    const tokens = requestTokens(body)
    const { contextWindow = Infinity } = options
    const overflow = tokens > contextWindow ? api.overflow?.(tokens, contextWindow) : undefined
    if (overflow !== undefined) return overflow
    const answer = await nextAnswer(request)
    if (answer === undefined) return { status: 400, message: 'The fake provider has no more answers.' }
    await answer.until
    if (answer.delayMs !== undefined) await wait(answer.delayMs, undefined, { signal: closing.signal })
    const requestedBody = answer.neverStreams === true ? { ...body, stream: false } : body
    return { reply: errorOf(answer) ?? route.reply({ request, body: requestedBody, answer }), answer, path }
  }

  async function send(
    response: ServerResponse,
    outcome: { readonly reply: Reply | Refusal; readonly answer: FakeAnswer; readonly path: string },
  ): Promise<void> {
    const { reply, answer, path } = outcome
    if ('status' in reply) {
      if (answer.errorPage === undefined)
        return sendJson(response, reply.status, api.errorBody(reply), answer.headers)
      response.writeHead(reply.status, { 'content-type': 'text/html', ...answer.headers })
      response.end(answer.errorPage)
      return
    }
    const failed =
      answer.failAfter &&
      ('json' in reply
        ? JSON.stringify(api.errorBody(answer.failAfter))
        : api.streamError(answer.failAfter, path))
    await sendReply(response, reply, { answer, failed })
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      // expected if the test closes the server or the client disconnects; report anything else
      if (closing.signal.aborted || response.destroyed) return response.destroy()
      return sendJson(response, 500, api.errorBody({ status: 500, message: errorMessage(error) }))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}${api.basePath}`,
    requests,
    get maxInFlight() {
      return maxInFlight
    },
    close() {
      closing.abort()
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function errorOf(answer: FakeAnswer): Refusal | undefined {
  if (answer.status === undefined || answer.status < 400) return undefined
  return {
    status: answer.status,
    message: answer.message ?? `The fake provider fails with ${answer.status}.`,
    ...(answer.code === undefined ? {} : { code: answer.code }),
  }
}

function openRequest(incoming: IncomingMessage, index: number): RecordedRequest {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  )
  const { method = 'GET', url = '/' } = incoming
  return { index, method, path: url, headers, text: '', body: undefined, startedAt: performance.now() }
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = ''
  incoming.setEncoding('utf8')
  for await (const chunk of incoming) text += String(chunk)
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the check of the body rejects the request
    return undefined
  }
}

function isList(answers: FakeAnswers): answers is readonly FakeAnswer[] {
  return Array.isArray(answers)
}

const closedEarly = new WeakSet<ServerResponse>()

/** Returns true if the server closed the connection of this response deliberately. */
function wasClosedEarly(response: ServerResponse): boolean {
  return closedEarly.has(response)
}

/**
 * Sends a response with the faults of its answer. `failed` is the error of `failAfter` in the format of the
 * API.
 */
async function sendReply(
  response: ServerResponse,
  reply: Reply,
  options: { readonly answer: FakeAnswer; readonly failed: string | Uint8Array | undefined },
): Promise<void> {
  const { answer, failed } = options
  const isJson = 'json' in reply
  const contentType = isJson ? 'application/json' : reply.contentType
  response.writeHead(answer.status ?? 200, { 'content-type': contentType, ...answer.headers })
  if (isJson && failed !== undefined) response.end(failed)
  else await sendPieces(response, isJson ? halves(JSON.stringify(reply.json)) : reply.chunks, options)
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

const GARBLED = 'data: {"choices":[{"del\n\n'

async function sendPieces(
  response: ServerResponse,
  pieces: readonly (string | Uint8Array)[],
  { answer, failed }: { readonly answer: FakeAnswer; readonly failed: string | Uint8Array | undefined },
): Promise<void> {
  const isAt = (position: number | undefined, index: number): boolean =>
    position !== undefined && index === Math.min(position, pieces.length - 1)
  for (const [index, piece] of pieces.entries()) {
    if (response.destroyed) return
    if (isAt(answer.breakAfter, index)) {
      closedEarly.add(response)
      response.destroy()
      return
    }
    if (isAt(answer.stallAfter, index)) return
    if (isAt(answer.endAfter, index)) break
    if (isAt(answer.failAfter?.chunks, index) && failed !== undefined) {
      response.end(failed)
      return
    }
    if (isAt(answer.garbleAfter, index)) response.write(GARBLED)
    if (isAt(answer.repeat, index)) return repeat(response, piece)
    response.write(piece)
    await nextTick()
  }
  response.end()
}

/** Repeats a chunk as fast as the client reads, until it disconnects. */
async function repeat(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  const gone = once(response, 'close')
  const count = Math.max(1, Math.ceil(4096 / piece.length))
  const many = Buffer.concat(Array.from({ length: count }, () => Buffer.from(piece)))
  while (!response.destroyed) {
    if (!response.write(many)) await Promise.race([once(response, 'drain'), gone])
    await nextTick()
  }
}
