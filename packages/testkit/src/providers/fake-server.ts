import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage, isJsonObject } from '@troupe/schema'
import type { Answer, Answers } from './answer.ts'
import { requestTokens, type Dialect, type Refusal, type Reply } from './dialect.ts'
import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { sendReply, wasCut } from './send-reply.ts'

/** Starts a server for a provider API on 127.0.0.1 and a free port. */
export async function startFakeServer(dialect: Dialect, options: FakeProviderOptions): Promise<FakeProvider> {
  const requests: RecordedRequest[] = []
  const closing = new AbortController()
  let inFlight = 0
  let maxInFlight = 0
  let asked = 0

  function nextAnswer(request: RecordedRequest): Answer | Promise<Answer> | undefined {
    if (isList(options.answers)) return options.answers[asked++]
    return options.answers(request)
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    maxInFlight = Math.max(maxInFlight, (inFlight += 1))
    const index = requests.push(openRequest(incoming, requests.length)) - 1
    const amend = (change: Partial<RecordedRequest>): RecordedRequest =>
      (requests[index] = { ...(requests[index] as RecordedRequest), ...change })
    response.once('close', () => {
      inFlight -= 1
      const isAbandoned = !response.writableFinished && !closing.signal.aborted && !wasCut(response)
      amend({ endedAt: performance.now(), isAbandoned })
    })
    const request = amend({ body: parseJson(await readText(incoming)) })
    const outcome = await answerRequest(request)
    if ('status' in outcome) return sendJson(response, outcome.status, dialect.errorBody(outcome))
    await send(response, outcome)
  }

  async function answerRequest(
    request: RecordedRequest,
  ): Promise<Refusal | { readonly reply: Reply | Refusal; readonly answer: Answer; readonly path: string }> {
    const path = request.path.slice(dialect.basePath.length)
    const route = dialect.route(path)
    if (
      route === undefined ||
      request.method !== 'POST' ||
      !request.path.startsWith(`${dialect.basePath}/`)
    ) {
      return { status: 404, message: `Unknown address ${request.method} ${request.path}` }
    }
    const refused = dialect.authorise(request, options)
    if (refused !== undefined) return refused
    const { body } = request
    if (!isJsonObject(body)) return { status: 400, message: 'The body of the request is not a JSON object.' }
    const problem = route.check(body, options)
    if (problem !== undefined) return problem
    const tokens = requestTokens(body)
    const { contextWindow = Infinity } = options
    const overflow = tokens > contextWindow ? dialect.overflow?.(tokens, contextWindow) : undefined
    if (overflow !== undefined) return overflow
    const answer = await nextAnswer(request)
    if (answer === undefined) return { status: 400, message: 'The fake provider has no further answer.' }
    await answer.until
    if (answer.delayMs !== undefined) await wait(answer.delayMs, undefined, { signal: closing.signal })
    const asked = answer.neverStreams === true ? { ...body, stream: false } : body
    return { reply: errorOf(answer) ?? route.reply({ request, body: asked, answer }), answer, path }
  }

  async function send(
    response: ServerResponse,
    outcome: { readonly reply: Reply | Refusal; readonly answer: Answer; readonly path: string },
  ): Promise<void> {
    const { reply, answer, path } = outcome
    if ('status' in reply) {
      if (answer.errorPage === undefined)
        return sendJson(response, reply.status, dialect.errorBody(reply), answer.headers)
      response.writeHead(reply.status, { 'content-type': 'text/html', ...answer.headers })
      response.end(answer.errorPage)
      return
    }
    const failed =
      answer.failAfter &&
      ('json' in reply
        ? JSON.stringify(dialect.errorBody(answer.failAfter))
        : dialect.streamError(answer.failAfter, path))
    await sendReply(response, reply, { answer, failed })
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      // expected if the test closes the server or the client disconnects; report anything else
      if (closing.signal.aborted || response.destroyed) return response.destroy()
      return sendJson(response, 500, dialect.errorBody({ status: 500, message: errorMessage(error) }))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}${dialect.basePath}`,
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

function errorOf(answer: Answer): Refusal | undefined {
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
  return { index, method, path: url, headers, body: undefined, startedAt: performance.now() }
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

function isList(answers: Answers): answers is readonly Answer[] {
  return Array.isArray(answers)
}
