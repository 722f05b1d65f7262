import { badRequest, type ProviderApi, type Refusal } from './provider-api.ts'
import { checkMessagesRequest } from './anthropic-request.ts'
import { messagesReply } from './anthropic-reply.ts'
import { startFakeServer } from './fake-server.ts'
import type { FakeProvider, FakeProviderOptions, RecordedRequest } from './fake-provider.ts'
import { formatServerSentEvent } from './server-sent-events.ts'

const ERROR_TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
])

const providerApi: ProviderApi = {
  basePath: '/v1',
  overflow: (tokens, window) => badRequest(`prompt is too long: ${tokens} tokens > ${window} maximum`),
  authorise,
  route: (path) => (path === '/messages' ? { check: checkMessagesRequest, reply: messagesReply } : undefined),
  errorBody,
  streamError: (refusal) => formatServerSentEvent(errorBody(refusal), 'error'),
}

function errorBody({ status, message }: Refusal): object {
  return {
    type: 'error',
    error: { type: ERROR_TYPES.get(status) ?? 'api_error', message },
    request_id: 'req_fake',
  }
}

/**
 * Starts a fake of Anthropic's API: `POST /v1/messages`, with and without streaming. Rejects requests that
 * the real API rejects: empty text, roles that do not alternate, tool calls without results, a missing
 * `max_tokens`.
 */
export function startFakeAnthropic(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(providerApi, options)
}

function authorise({ headers }: RecordedRequest, options: FakeProviderOptions): Refusal | undefined {
  const key =
    headers['x-api-key'] ?? /^Bearer (?<key>\S+)$/u.exec(headers['authorization'] ?? '')?.groups?.['key']
  if (key === undefined || key === '') return { status: 401, message: 'x-api-key header is required' }
  if (options.apiKey !== undefined && key !== options.apiKey)
    return { status: 401, message: 'invalid x-api-key' }
  if (headers['anthropic-version'] === undefined)
    return { status: 400, message: 'anthropic-version: header is required' }
  return undefined
}
