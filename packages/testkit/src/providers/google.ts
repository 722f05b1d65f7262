import { badRequest, type ProviderApi, type Refusal } from './provider-api.ts'
import { startFakeServer } from './fake-server.ts'
import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { generateReply } from './google-reply.ts'
import { checkGenerateRequest } from './google-request.ts'
import { formatServerSentEvent } from './server-sent-events.ts'

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
