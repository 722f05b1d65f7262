import {
  badRequest,
  EVENT_STREAM,
  formatServerSentEvent,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
} from './provider-api.ts'
import { startFakeServer } from './fake-server.ts'
import {
  textPieces,
  usageOf,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './fake-provider.ts'
import { checkGenerateRequest } from './google-request.ts'

const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
])
const ADDRESS = /^\/models\/[^/:?]+:(?:stream)?[gG]enerateContent(?:\?|$)/u

const providerApi: ProviderApi = {
  basePath: '/v1beta',
  overflow: (tokens, window) =>
    badRequest(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`),
  authorise,
  route: (path) => (ADDRESS.test(path) ? { check: checkGenerateRequest, reply: generateReply } : undefined),
  errorBody,
  streamError: (refusal) => formatServerSentEvent(errorBody(refusal)),
}

function errorBody({ status, message, code }: Refusal): object {
  return {
    error: {
      code: status,
      message,
      status: STATUSES.get(status) ?? 'UNKNOWN',
      ...(code === undefined ? {} : { details: [errorInfo(code)] }),
    },
  }
}

/**
 * Starts a fake of the Gemini API: `POST /v1beta/models/NAME:generateContent` and `:streamGenerateContent`.
 * Rejects requests that the real API rejects. Like the real API, it responds with 403 to a missing key and
 * with 400 to a wrong one.
 */
export function startFakeGoogle(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(providerApi, options)
}

function authorise({ headers, path }: RecordedRequest, options: FakeProviderOptions): Refusal | undefined {
  const inQuery = new URL(path, 'http://localhost').searchParams.get('key')
  const key = headers['x-goog-api-key'] ?? inQuery ?? ''
  if (key === '') {
    return {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    }
  }
  if (options.apiKey === undefined || key === options.apiKey) return undefined
  return { status: 400, message: 'API key not valid. Please pass a valid API key.', code: 'API_KEY_INVALID' }
}

function errorInfo(reason: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  }
}

/** Creates a Gemini API response, streamed if the URL says so. */
function generateReply(exchange: FakeExchange): Reply {
  const { path } = exchange.request
  const parts = answerParts(exchange.answer)
  if (!path.includes(':streamGenerateContent')) return { json: response(exchange, parts, true) }
  const pieces = streamParts(exchange.answer)
  const responses = pieces.map((part, index) => response(exchange, [part], index === pieces.length - 1))
  if (!path.includes('alt=sse')) return { json: responses }
  return { chunks: responses.map((chunk) => formatServerSentEvent(chunk)), contentType: EVENT_STREAM }
}

function answerParts({ text, calls = [] }: FakeAnswer): readonly object[] {
  const texts = text === undefined ? [] : [{ text }]
  return [...texts, ...calls.map(callPart)]
}

function streamParts({ text = '', calls = [] }: FakeAnswer): readonly object[] {
  const parts = [...textPieces(text).map((piece) => ({ text: piece })), ...calls.map(callPart)]
  return parts.length > 0 ? parts : [{ text: '' }]
}

function callPart({ id, name, args }: NonNullable<FakeAnswer['calls']>[number]): object {
  return { functionCall: { ...(id === undefined ? {} : { id }), name, args } }
}

function response(exchange: FakeExchange, parts: readonly object[], isLast: boolean): object {
  const { request, body, answer } = exchange
  const { input, output, cacheRead, reasoning } = usageOf(answer, body['contents'])
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  }
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        index: 0,
        ...(isLast ? { finishReason: finishReason(answer) } : {}),
      },
    ],
    ...(answer.usage === 'none' ? {} : { usageMetadata }),
    modelVersion: 'fake',
    responseId: `response-${request.index}`,
  }
}

function finishReason({ finish }: FakeAnswer): string {
  if (finish === undefined) return 'STOP'
  return finish === 'length' ? 'MAX_TOKENS' : 'SAFETY'
}
